/**
 * @typedef {{ claimed: Record<string, string>, later: readonly string[] }} Requirements
 * @typedef {{ ancestorTitles: string[], title: string, status: string }} Assertion
 * @typedef {{ name: string, status: string, message?: string, assertionResults: Assertion[] }} TestFile
 * @typedef {{ testResults: TestFile[] }} Report what vitest's JSON reporter writes
 * @typedef {"pglite" | "postgres"} Database
 * @typedef {{ id: string, title: string, file: string, databases: Database[], status: string }} Proof
 * @typedef {"pass" | "fail" | "missing"} Result
 * @typedef {{ id: string, behaviour: string, pglite: Result, postgres: Result, proofs: Proof[] }} Row
 */

const ID = /\bS[1-5]-\d{2}\b/g;

/**
 * A row for each requirement, from the tests whose titles carry its id.
 * @param {Requirements} requirements
 * @param {Report} report
 * @param {string} root folder that test files are named from
 * @returns {Row[]}
 */
export function rowsOf(requirements, report, root) {
  const proofs = report.testResults.flatMap((file) => proofsIn(file, root));
  const ids = [...Object.keys(requirements.claimed), ...requirements.later].sort();
  return ids.map((id) => {
    const own = proofs.filter((proof) => proof.id === id);
    return {
      id,
      behaviour: requirements.claimed[id] ?? "",
      pglite: resultOn("pglite", own),
      postgres: resultOn("postgres", own),
      proofs: own,
    };
  });
}

/**
 * Claimed ids that lack a passing test on one of the databases.
 * @param {Requirements} requirements
 * @param {readonly Row[]} rows
 */
export function missingRows(requirements, rows) {
  return rows
    .filter(({ id }) => Object.hasOwn(requirements.claimed, id))
    .filter(({ pglite, postgres }) => pglite !== "pass" || postgres !== "pass")
    .map(({ id }) => id);
}

/**
 * Ids in titles that no requirement has: a slip of the pen would hide a proof.
 * @param {Requirements} requirements
 * @param {Report} report
 */
export function unknownIds(requirements, report) {
  const known = new Set([...Object.keys(requirements.claimed), ...requirements.later]);
  const used = report.testResults.flatMap((file) => proofsIn(file, "").map(({ id }) => id));
  return [...new Set(used)].filter((id) => !known.has(id)).sort();
}

/**
 * The page. The same results give the same bytes.
 * @param {readonly Row[]} rows
 */
export function render(rows) {
  const now = rows.filter(({ behaviour }) => behaviour !== "");
  const later = rows.filter(({ behaviour }) => behaviour === "");
  const table = now.map(
    (row) =>
      `| [${row.id}](#${row.id.toLowerCase()}) | ${row.behaviour} | ${row.pglite} | ${row.postgres} | ${titlesOf(row).length} |`,
  );
  const ahead = later.filter(({ proofs }) => proofs.length > 0).map(({ id }) => id);
  return [
    "# Conformance",
    "",
    "Written by `npm test` from the tests whose titles carry a requirement's id. Don't edit.",
    "A test that needs no database counts for both.",
    "",
    "| id | behaviour | PGlite | PostgreSQL | tests |",
    "|---|---|---|---|---|",
    ...table,
    "",
    "## Later",
    "",
    `Not claimed yet: ${later.map(({ id }) => id).join(", ")}.`,
    ...(ahead.length > 0 ? ["", `Some of their tests exist already: ${ahead.join(", ")}.`] : []),
    "",
    "## Tests",
    ...now.flatMap((row) => ["", `### ${row.id}`, "", ...titlesOf(row).map((t) => `- ${t}`)]),
    "",
  ].join("\n");
}

/** @param {Row} row */
function titlesOf(row) {
  const titles = row.proofs.map(({ title, file }) => `${title} (\`${file}\`)`);
  return [...new Set(titles)].sort();
}

/**
 * @param {TestFile} file
 * @param {string} root
 * @returns {Proof[]}
 */
function proofsIn(file, root) {
  const name = file.name.startsWith(root) ? file.name.slice(root.length) : file.name;
  return file.assertionResults.flatMap(({ ancestorTitles, title, status }) => {
    const whole = [...ancestorTitles, title].join(" ");
    const ids = new Set(whole.match(ID) ?? []);
    const databases = databasesIn(`${name} ${ancestorTitles.join(" ")}`);
    const text = title.replace(ID, "").replace(/\s+/g, " ").trim().replaceAll("|", "\\|");
    return [...ids].map((id) => ({ id, title: text, file: name, databases, status }));
  });
}

/**
 * A suite names its database in its title, or the file in its ending.
 * @param {string} text
 * @returns {Database[]}
 */
function databasesIn(text) {
  const pglite = /\bpglite\b/i.test(text);
  const postgres = /\bpostgres(ql)?\b|\.pg\.test\b/i.test(text);
  if (pglite === postgres) return ["pglite", "postgres"];
  return pglite ? ["pglite"] : ["postgres"];
}

/**
 * @param {Database} database
 * @param {readonly Proof[]} proofs
 * @returns {Result}
 */
function resultOn(database, proofs) {
  const ran = proofs.filter((proof) => proof.databases.includes(database));
  if (ran.some(({ status }) => status === "failed")) return "fail";
  return ran.some(({ status }) => status === "passed") ? "pass" : "missing";
}
