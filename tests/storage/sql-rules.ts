/** What a Citus cluster refuses or answers differently, wherever it stands. */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["set_config", /\bset_config\b/],
  ["security definer", /\bsecurity\s+definer\b/],
  ["trigger", /\btrigger\b/],
  ["merge", /\bmerge\s+into\b/],
  ["full join", /\bfull\s+(outer\s+)?join\b/],
  ["set null or default", /\bon\s+(delete|update)\s+set\s+(null|default)\b/],
  ["materialised view", /\bmaterialized\s+view\b/],
  ["forced row-level security", /\bforce\s+row\b/],
  ["advisory lock", /\bpg_(try_)?advisory\w*/],
  ["session state", /\b(set\s+session|reset\s+\w+|discard\s+\w+|listen\s+\w+|pg_notify)\b/],
  ["copy or truncate", /\b(copy\s+\w+|truncate)\b/],
];

/** In what the service sends: time and chance come from the application. */
const VOLATILE =
  /\b(now\s*\(|clock_timestamp|statement_timestamp|transaction_timestamp|current_timestamp|current_date|current_time|localtime|random\s*\(|gen_random_uuid|uuidv7\s*\(|nextval|txid_current|pg_sleep)/;

/** Tables outside the wall, and those whose rows a name or a constant finds before there is a tenant. */
const OUTSIDE = new Set(["tenant", "deployment", "migration"]);

const NO_ALIAS = new Set([
  "where",
  "join",
  "on",
  "set",
  "left",
  "cross",
  "order",
  "limit",
  "group",
  "returning",
  "values",
  "select",
  "for",
  "union",
]);

interface Reference {
  readonly table: string;
  readonly alias: string;
  readonly isInsert: boolean;
}

function references(text: string): readonly Reference[] {
  const found = text.matchAll(
    /\b(from|join|update|into)\s+muniment\.(\w+)(?:\s+(?:as\s+)?(\w+))?/g,
  );
  return [...found].map(([, verb, table = "", next = ""]) => ({
    table,
    alias: next === "" || NO_ALIAS.has(next) ? "" : next,
    isInsert: verb === "into",
  }));
}

function withoutComments(text: string): string {
  return text.replace(/--[^\n]*/g, "").toLowerCase();
}

/** Rules that hold for all SQL, migrations too. */
export function refusedForms(text: string): readonly string[] {
  const code = withoutComments(text);
  return REFUSED.filter(([, form]) => form.test(code)).map(([name]) => name);
}

function tenantFaults(text: string, inside: readonly Reference[]): readonly string[] {
  const faults = inside.flatMap(({ table, alias, isInsert }) => {
    if (isInsert) {
      return new RegExp(`into\\s+muniment\\.${table}\\b[^(]*\\(\\s*tenant_id\\b`).test(text)
        ? []
        : [`${table}: tenant_id isn't the first column`];
    }
    const column = alias === "" ? "(?<![.\\w])tenant_id" : `\\b${alias}\\.tenant_id`;
    const bound = new RegExp(
      `${column}\\s*=\\s*(\\$\\d+|\\w+\\.tenant_id)|\\w+\\.tenant_id\\s*=\\s*${column}`,
    );
    return bound.test(text) ? [] : [`${table}: not joined or filtered by tenant_id`];
  });
  const reads = inside.filter(({ isInsert }) => !isInsert);
  const names = reads.length === 0 || /tenant_id\s*=\s*\$\d+/.test(text);
  return names ? faults : [...faults, "no explicit tenant_id = $n"];
}

/** Rows that are asked for come in an order and in a number; those that only decide a condition don't come at all. */
function rowFaults(text: string): readonly string[] {
  const faults: string[] = [];
  const isRead = /^select\b/.test(text) && /\bfrom\s+muniment\./.test(text);
  if (isRead && !/\border\s+by\b[\s\S]*\blimit\b[^)]*$/.test(text))
    faults.push("no order by and limit");
  if (
    /\*/.test(text.replace(/count\(\*\)/g, "")) &&
    /(select|returning)\s+(\w+\.)?\*|,\s*\w+\.\*/.test(text)
  )
    faults.push("columns not named");
  if (/\binto\s+muniment\.\w+(\s+as\s+\w+)?\s+(values|select)\b/.test(text))
    faults.push("columns not named");
  return faults;
}

function writeFaults(text: string): readonly string[] {
  const faults: string[] = [];
  if (VOLATILE.test(text)) faults.push("a volatile value");
  const upsert = /\bdo\s+update\s+set\b([\s\S]*?)(\bwhere\b|\breturning\b|$)/.exec(text)?.[1];
  if (upsert?.split(",").some((part) => !/=\s*excluded\./.test(part))) {
    faults.push("an upsert from something else than excluded");
  }
  return faults;
}

/** Rules of what the service sends. Single rows by a unique key are named by `singles`. */
export function serviceFaults(
  text: string,
  singles: ReadonlyMap<string, readonly (readonly string[])[]>,
): readonly string[] {
  const code = withoutComments(text);
  const inside = references(code).filter(({ table }) => !OUTSIDE.has(table));
  const main = inside.find(({ isInsert }) => !isInsert);
  const equal = new Set(
    [...code.matchAll(/(?:(\w+)\.)?(\w+)\s*=\s*\$\d+/g)]
      .filter(([, alias = ""]) => alias === main?.alias)
      .map(([, , column]) => column),
  );
  const isSingle = (singles.get(main?.table ?? "") ?? []).some((key) =>
    key.every((column) => equal.has(column)),
  );
  const rows = rowFaults(code).filter((fault) => !(isSingle && fault === "no order by and limit"));
  const shouting = /\b(SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|AND|ORDER BY)\b/.test(text)
    ? ["not lower case"]
    : [];
  return [
    ...refusedForms(text),
    ...tenantFaults(code, inside),
    ...rows,
    ...writeFaults(code),
    ...shouting,
  ];
}

/** Unique keys by table, as the migrations declare them. */
export function uniqueKeys(
  migrations: readonly string[],
): ReadonlyMap<string, readonly (readonly string[])[]> {
  const keys = new Map<string, (readonly string[])[]>();
  for (const text of migrations) {
    const table = /create table muniment\.(\w+)/.exec(text)?.[1];
    if (table === undefined) continue;
    const found = [...text.matchAll(/(?:primary key|unique) \(([^)]*)\)/g)].map(
      ([, columns = ""]) => columns.split(/,\s*/),
    );
    keys.set(table, found);
  }
  return keys;
}
