import { MunimentError } from "../../domain/errors.js";
import {
  checksumOf,
  type LinePlace,
  type LogEnd,
  logLine,
  NO_LINE,
  readLog,
} from "../chained-log.js";
import type { TenantLine } from "../content.js";

/** Records of one line of a ledger that is written whole. */
const LINE_RECORDS_MAX = 64;

export interface LedgerHeader {
  readonly format: 1;
  readonly custody_id: string;
}

export type LedgerRecord = TenantLine;

/** Reads a whole ledger and hands each record to `onRecord`; null for an empty file. */
export function readLedger(
  bytes: Buffer,
  path: string,
  onRecord: (record: LedgerRecord, place: LinePlace) => void,
): (LogEnd & { readonly header: LedgerHeader }) | null {
  let header: LedgerHeader | undefined;
  const end = readLog(bytes, "ledger", path, (value, place) => {
    if (header === undefined) header = parseHeader(value, path);
    else for (const record of value as readonly LedgerRecord[]) onRecord(record, place);
  });
  return end === null || header === undefined ? null : { ...end, header };
}

function parseHeader(value: unknown, path: string): LedgerHeader {
  const header = value as LedgerHeader;
  if (header.format === 1) return header;
  throw new MunimentError(
    "unavailable",
    `the ledger \`${path}\` was written by another version of muniment`,
  );
}

/** A whole ledger, in lines of bounded length. */
export function* ledgerLines(
  header: LedgerHeader,
  records: readonly LedgerRecord[],
): Generator<string> {
  let line = logLine(NO_LINE, header);
  yield line;
  for (let start = 0; start < records.length; start += LINE_RECORDS_MAX) {
    line = logLine(checksumOf(line), records.slice(start, start + LINE_RECORDS_MAX));
    yield line;
  }
}
