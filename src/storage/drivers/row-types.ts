import pg from "pg";
import { assert } from "../../domain/errors.js";

const INT8 = 20;
const INT8_ARRAY = 1016;
const BYTEA = 17;
const BYTEA_ARRAY = 1001;
const TIMESTAMPTZ = 1184;

type Parser = (text: string) => unknown;

function toSafeInteger(text: string): number {
  const value = Number(text);
  assert(Number.isSafeInteger(value), "a bigint is beyond the safe integers");
  return value;
}

/** PostgreSQL's own form of a time in UTC. Any other (another zone, before our era, infinity) is left to the client. */
const UTC = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/;
const anyTime = pg.types.getTypeParser(TIMESTAMPTZ) as Parser;

function toTime(text: string): unknown {
  return UTC.test(text) ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : anyTime(text);
}

/** A view without the methods of Buffer, so that no caller comes to depend on them. */
function toBytes(text: string): Uint8Array {
  const buffer = Buffer.from(text.slice(2), "hex");
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function arrayOf(oid: number, element: Parser): Parser {
  const split = pg.types.getTypeParser(oid) as (text: string) => (string | null)[];
  return (text) => split(text).map((item) => (item === null ? null : element(item)));
}

// `text[]` splits an array and leaves its elements as they are.
const TEXT_ARRAY = 1009;

const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [INT8, toSafeInteger],
  [INT8_ARRAY, arrayOf(TEXT_ARRAY, toSafeInteger)],
  [BYTEA, toBytes],
  [TIMESTAMPTZ, toTime],
  [BYTEA_ARRAY, arrayOf(TEXT_ARRAY, toBytes)],
]);

/** How values of rows are read: the same for both drivers, set for our pools alone and not for the process. */
export const ROW_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format ?? "text"),
};
