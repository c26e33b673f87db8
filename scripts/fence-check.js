/**
 * @typedef {{ file: string, title: string }} Named tests of a file whose full titles match a regular expression
 * @typedef {{ file: string, find: string, replace: string }} Edit `find` is a regular expression
 * @typedef {{ fence: string, edits: Edit[], red: Named[] }} Fence
 * @typedef {{ leaks: Named[], fences: Fence[] }} Fences
 * @typedef {import("./conformance.js").Report} Report
 */

/**
 * Takes a fence out of a text. A place that isn't there, or is there twice, is an error: the source moved on.
 * @param {string} text
 * @param {Edit} edit
 */
export function takeOut(text, { file, find, replace }) {
  const matches = [...text.matchAll(new RegExp(find, "gm"))];
  if (matches.length !== 1) {
    throw new Error(`${file}: \`${find}\` matches ${matches.length} times, it must match once`);
  }
  return text.replace(new RegExp(find, "m"), replace);
}

/**
 * What is wrong after a run with one fence taken out; nothing where its own tests noticed and no leak test did.
 * @param {Report} report
 * @param {{ red: readonly Named[], leaks: readonly Named[] }} expected
 * @param {string} root
 * @returns {string[]}
 */
export function problems(report, { red, leaks }, root) {
  const unnoticed = red
    .filter((named) => !statuses(report, named, root).includes("failed"))
    .map((named) => `stays green: ${show(named)}`);
  const leaking = leaks.flatMap((named) => {
    const ran = statuses(report, named, root).filter((status) => status !== "skipped");
    if (ran.length === 0) return [`didn't run: ${show(named)}`];
    return ran.every((status) => status === "passed") ? [] : [`leaks: ${show(named)}`];
  });
  return [...unnoticed, ...leaking];
}

/**
 * @param {Report} report
 * @param {Named} named
 * @param {string} root
 */
function statuses(report, { file, title }, root) {
  const pattern = new RegExp(title);
  return report.testResults
    .filter(({ name }) => name === `${root}${file}`)
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((test) => pattern.test([...test.ancestorTitles, test.title].join(" ")))
    .map(({ status }) => status);
}

/** @param {Named} named */
function show({ file, title }) {
  return `${file} /${title}/`;
}
