import { createHash } from "node:crypto";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import type { Statement } from "../sql.js";
import type { SealedTable } from "./sealed-tables.js";

/** A row by its columns' own names. */
export type SealedRow = Readonly<Record<string, unknown>>;

/** What is sealed anew, with what stood there: a row that was changed meanwhile is left alone. */
export interface Resealed {
  readonly row: SealedRow;
  readonly sealed: Readonly<Record<string, Uint8Array | null>>;
}

// INVARIANT: texts are made of the tables' descriptions alone; nothing of a request gets into them. They pass the same tests as
// those that are written by hand (tests/storage/sql-source.ts).

const FLOORS = {
  uuid: "00000000-0000-0000-0000-000000000000",
  text: "",
  integer: -1,
  bytea: Buffer.of(),
};

function keyOf({ key }: SealedTable): readonly (readonly [string, keyof typeof FLOORS])[] {
  return Object.entries(key) as [string, keyof typeof FLOORS][];
}

export function readText(table: SealedTable): string {
  const key = keyOf(table);
  const sealed = Object.keys(table.sealed);
  const columns = [...key.map(([name]) => name), ...table.bound, ...sealed];
  const names = key.map(([name]) => `n.${name}`).join(", ");
  const older = sealed.map((name) => `substring(n.${name} from 1 for length(h.head)) = h.head`);
  return `select n.tenant_id as "tenantId", n.subject_id as "subjectId", ${columns.map((name) => `n.${name}`).join(", ")}
from muniment.${table.table} n
join muniment.subject u on u.tenant_id = n.tenant_id and u.subject_id = n.subject_id
where n.tenant_id = $1 and n.subject_id = $2 and u.state = 'active' and u.key_id = $3
  and exists (select 1 from unnest($4::bytea[]) as h (head) where ${older.join(" or ")})
  and (${names}) > (${key.map(([, type], index) => `$${index + 6}::${type}`).join(", ")})
order by ${names}
limit $5`;
}

export function writeText(table: SealedTable): string {
  const key = keyOf(table);
  const sealed = Object.keys(table.sealed);
  const given = [
    ...key.map(([name, type]) => [name, type]),
    ...sealed.flatMap((name) => [
      [`${name}_before`, "bytea"],
      [`${name}_after`, "bytea"],
    ]),
  ];
  const arrays = given.map(([, type], index) => `$${index + 3}::${type}[]`).join(", ");
  const same = [
    ...key.map(([name]) => `n.${name} = g.${name}`),
    ...sealed.map((name) => `n.${name} is not distinct from g.${name}_before`),
  ];
  return `update muniment.${table.table} n
set ${sealed.map((name) => `${name} = g.${name}_after`).join(", ")}
from unnest(${arrays}) as g (${given.map(([name]) => name).join(", ")})
where n.tenant_id = $1 and n.subject_id = $2 and ${same.join(" and ")}`;
}

const texts = new WeakMap<SealedTable, Readonly<Record<"read" | "write", TextAndName>>>();

interface TextAndName {
  readonly text: string;
  readonly name: string;
}

function textsOf(table: SealedTable): Readonly<Record<"read" | "write", TextAndName>> {
  const known = texts.get(table);
  if (known !== undefined) return known;
  const made = { read: named(readText(table)), write: named(writeText(table)) };
  texts.set(table, made);
  return made;
}

function named(text: string): TextAndName {
  return { text, name: `s${createHash("sha256").update(text).digest("hex").slice(0, 24)}` };
}

/** Rows of the permit's subject, after one of them, in which something begins with one of these heads. */
export function readSealedUnder(
  permit: Permit,
  table: SealedTable,
  heads: readonly Uint8Array[],
  after: SealedRow | null,
  limit: number,
): Statement<SealedRow> {
  const { tenant, subject, keyId } = subjectScope(permit);
  const from = keyOf(table).map(([name, type]) => (after === null ? FLOORS[type] : after[name]));
  return {
    ...textsOf(table).read,
    values: [tenant, subject, keyId, [...heads], limit, ...from],
    recheck: { subject: true },
  };
}

export function writeResealed(
  permit: Permit,
  table: SealedTable,
  resealed: readonly Resealed[],
): Statement {
  const { tenant, subject } = subjectScope(permit);
  const keys = keyOf(table).map(([name]) => resealed.map(({ row }) => row[name]));
  const values = Object.keys(table.sealed).flatMap((name) => [
    resealed.map(({ row }) => row[name]),
    resealed.map(({ sealed }) => sealed[name]),
  ]);
  return { ...textsOf(table).write, values: [tenant, subject, ...keys, ...values] };
}
