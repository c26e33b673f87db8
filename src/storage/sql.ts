import { createHash } from "node:crypto";
import { MunimentError } from "../domain/errors.js";

/**
 * One SQL statement with its parameters. `Row` is what it returns, with camelCase aliases.
 *
 * Parameters: null, boolean, number, string, Date, Uint8Array and arrays of one of them (`${ids}::uuid[]`). JSON goes in
 * as text (`${JSON.stringify(value)}::jsonb`); an object, undefined or a hole is a bug and throws.
 * Rows: bigint comes as a number (unsafe ones throw), numeric as a string, timestamptz as Date, bytea as Uint8Array,
 * json parsed, uuid as a string, arrays as arrays of these.
 */
export interface Statement<Row = unknown> {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Name of the prepared statement: a hash of the text. */
  readonly name: string;
  /** Which keys each returned row must share with the permit; rows that don't are dropped with an alarm. */
  readonly recheck?: Recheck;
  readonly row?: Row;
}

/** Columns that a personal row returns so that it can be checked again outside SQL. */
export interface Recheck {
  readonly subject: true;
  readonly workspace?: true;
  readonly session?: true;
  readonly run?: true;
  /** The row's `routeId` must be on the permit's allowlist. */
  readonly recallFrom?: true;
  /** The row's `expiresAt` must be later than the permit's `now`. */
  readonly expiry?: true;
  /** The row's `epoch` must be its session's (`currentEpoch`). */
  readonly epoch?: true;
}

const prepared = new WeakMap<TemplateStringsArray, { text: string; name: string }>();

function prepare(strings: TemplateStringsArray): { text: string; name: string } {
  const known = prepared.get(strings);
  if (known) return known;
  const text = strings.reduce((sum, part, index) => `${sum}$${index}${part}`).trim();
  const made = { text, name: nameOf(text) };
  prepared.set(strings, made);
  return made;
}

const TABLE_NAME = /^[a-z][a-z0-9_]{0,62}$/;

/**
 * The same statement over another table of ours with the same columns, named by our own code or by the catalogue: for what
 * is done alike in every table.
 */
export function inTable<Row>(
  statement: Statement<Row>,
  pattern: string,
  table: string,
): Statement<Row> {
  if (!TABLE_NAME.test(table)) throw new MunimentError("internal", "not a name of a table");
  const text = statement.text.replaceAll(
    new RegExp(`\\bmuniment\\.${pattern}\\b`, "g"),
    `muniment.${table}`,
  );
  return { ...statement, text, name: nameOf(text) };
}

function nameOf(text: string): string {
  return `m${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
}

/** Tags a statement: every `${value}` becomes a bound parameter, never text. */
export function sql<Row>(
  strings: TemplateStringsArray,
  ...values: readonly unknown[]
): Statement<Row> {
  return { ...prepare(strings), values };
}

/** Marks a read of personal rows: each row is checked again against the permit before it leaves storage. */
export function rechecked<Row>(recheck: Recheck, statement: Statement<Row>): Statement<Row> {
  return { ...statement, recheck };
}
