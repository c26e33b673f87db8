import { createHash } from "node:crypto";
import { assert } from "../../domain/errors.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import type { Statement } from "../sql.js";
import type { ArchivedColumn, ArchivedTable, ColumnType } from "./archived-table.js";

/** A row by its columns' own names, as an archive's codec reads and writes it. */
export type ArchivedRow = Readonly<Record<string, unknown>>;

/** Where the next page of a table goes on: the last row's order columns; null at the start. */
export type Place = readonly unknown[] | null;

interface Written {
  readonly text: string;
  readonly name: string;
}

// The texts are made of the tables' descriptions alone, once each; nothing of a request gets into them. They pass the same
// tests as those that are written by hand (tests/storage/sql-source.ts).
const texts = new WeakMap<ArchivedTable, { readonly read: Written; readonly write: Written }>();

function textsOf(table: ArchivedTable): { readonly read: Written; readonly write: Written } {
  const known = texts.get(table);
  if (known !== undefined) return known;
  const made = { read: named(readText(table)), write: named(writeText(table)) };
  texts.set(table, made);
  return made;
}

function named(text: string): Written {
  return { text, name: `a${createHash("sha256").update(text).digest("hex").slice(0, 24)}` };
}

/** Parameters of every text, first. */
const PLACES: Readonly<Record<string, string>> = {
  ":tenant": "$1",
  ":subject": "$2",
  ":now": "$4",
};
const placed = (fragment: string): string =>
  fragment.replace(/:(?:tenant|subject|now)\b/g, (name) => PLACES[name] ?? name);

const NAMES = ["workspace", "speaker", "source"] as const;

export function orderOf(table: ArchivedTable): readonly ArchivedColumn[] {
  return (table.order ?? table.key).map((name) => columnOf(table, name));
}

function columnOf(table: ArchivedTable, name: string): ArchivedColumn {
  const found = table.columns.find((column) => column.name === name);
  assert(found !== undefined, `an archived table lacks its column ${name}`);
  return found;
}

function readText(table: ArchivedTable): string {
  const order = orderOf(table);
  const read = table.columns.filter((column) => column.travel !== "made" || order.includes(column));
  const names = NAMES.filter((name) => table.columns.some(({ travel }) => travel === name));
  const joins = names.map((name) =>
    name === "workspace"
      ? "join muniment.workspace w on w.tenant_id = n.tenant_id and w.workspace_id = n.workspace_id"
      : externalJoin(name, `${name}_id`),
  );
  const shown = names.map((name) =>
    name === "workspace"
      ? "w.name as workspace"
      : `${name}.lookup as ${name}_lookup, ${name}.sealed as ${name}_sealed`,
  );
  if (table.isNamed) {
    joins.push(externalJoin("named", table.key[0] ?? ""));
    shown.push("named.lookup as named_lookup, named.sealed as named_sealed");
  }
  const { join = "", select = "" } = table.beside ?? {};
  const columns = [...read.map(({ name }) => `n.${name}`), ...shown, ...(select ? [select] : [])];
  const after = order.map(({ type }, index) => `$${index + 6}::${type}`);
  return placed(`select n.tenant_id as "tenantId", n.subject_id as "subjectId",
  ${columns.join(", ")}
from muniment.${table.table} n
join muniment.subject u on u.tenant_id = n.tenant_id and u.subject_id = n.subject_id
${[...joins, join].filter((text) => text !== "").join("\n")}
where n.tenant_id = :tenant and n.subject_id = :subject and u.state = 'active' and u.key_id = $3
  and ${table.alive} and :now::timestamptz is not null
  and (${order.map(({ name }) => `n.${name}`).join(", ")}) > (${after.join(", ")})
order by ${order.map(({ name }) => `n.${name}`).join(", ")}
limit $5`);
}

function externalJoin(alias: string, column: string): string {
  return `left join muniment.external_id ${alias} on ${alias}.tenant_id = n.tenant_id and ${alias}.subject_id = n.subject_id
  and ${alias}.internal_id = n.${column}`;
}

const FLOORS: Readonly<Partial<Record<ColumnType, unknown>>> = {
  uuid: "00000000-0000-0000-0000-000000000000",
  text: "",
  integer: -1,
  bigint: -1,
};

/** The next rows of the permit's subject whose clocks run, in the table's order. */
export function readArchived(
  permit: Permit,
  table: ArchivedTable,
  after: Place,
  limit: number,
): Statement<ArchivedRow> {
  const { tenant, subject, keyId, now } = subjectScope(permit);
  const from = after ?? orderOf(table).map(({ type }) => FLOORS[type]);
  return {
    ...textsOf(table).read,
    values: [tenant, subject, keyId, now, limit, ...from],
    recheck: { subject: true },
  };
}

export function placeOf(table: ArchivedTable, row: ArchivedRow): Place {
  return orderOf(table).map(({ name }) => row[name]);
}

function writeText(table: ArchivedTable): string {
  const { columns, key } = table;
  const given = columns.map(({ name, type, travel }) =>
    travel === "speaker" || travel === "source" ? `${travel}_lookup bytea` : `${name} ${type}`,
  );
  const written = columns.map(({ name, travel }) => {
    const filled = table.filled?.[name];
    if (filled !== undefined) return filled;
    if (travel !== "speaker" && travel !== "source") return `n.${name}`;
    return `(select p.internal_id from muniment.external_id p
      where p.tenant_id = :tenant and p.kind = '${travel}' and p.lookup = n.${travel}_lookup and p.subject_id = :subject)`;
  });
  const names = columns.map(({ name }) => name);
  const isSame = (left: string, right: string) =>
    key.map((name) => `${left}.${name} = ${right}.${name}`).join(" and ");
  return placed(`with given as (
  select n.place, ${columns
    .map(({ name, travel }) =>
      travel === "speaker" || travel === "source" ? `n.${travel}_lookup` : `n.${name}`,
    )
    .join(", ")}
  from jsonb_to_recordset($5::jsonb) as n (place integer, ${given.join(", ")})
), judged as (
  select n.place, ${table.placed} as placed, ${table.alive} and :now::timestamptz is not null as alive,
    exists (select 1 from muniment.${table.table} p
      where p.tenant_id = :tenant and p.subject_id = :subject and ${isSame("p", "n")}) as stood
  from given n
), made as (
  insert into muniment.${table.table} (tenant_id, subject_id, ${names.join(", ")})
  select u.tenant_id, u.subject_id, ${written.join(", ")}
  from muniment.subject u
  cross join given n
  join judged j on j.place = n.place
  where u.tenant_id = :tenant and u.subject_id = :subject and u.key_id = $3 and u.state = 'active' and j.placed and j.alive
  order by n.place
  on conflict do nothing
  returning ${key.join(", ")}
)
select j.place, j.placed, j.alive, j.stood, exists (select 1 from made m where ${isSame("m", "n")}) as made
from judged j
join given n on n.place = j.place
order by j.place`);
}

/** What became of a row that was given: where it stood in the batch, and which of its conditions held. */
export interface Landed {
  readonly place: number;
  /** What it belongs to stands. */
  readonly placed: boolean;
  /** Its clock runs. */
  readonly alive: boolean;
  /** It was there before. */
  readonly stood: boolean;
  readonly made: boolean;
}

/** Writes rows that aren't there yet, under their own times and versions. Nothing that stands is changed. */
export function writeArchived(
  permit: Permit,
  table: ArchivedTable,
  rows: readonly ArchivedRow[],
): Statement<Landed> {
  const { tenant, subject, keyId, now } = subjectScope(permit);
  return {
    ...textsOf(table).write,
    values: [tenant, subject, keyId, now, JSON.stringify(rows.map(wire))],
  };
}

/** Bytes as the database spells them in text. */
function wire(row: ArchivedRow): ArchivedRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value,
    ]),
  );
}

/** Every text, for the tests that read all SQL. */
export function archiveTexts(tables: readonly ArchivedTable[]): readonly Written[] {
  return tables.flatMap((table) => Object.values(textsOf(table)));
}
