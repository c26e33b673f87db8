import { MunimentError } from "../../domain/errors.js";
import { checksumOf, type LogEnd, logLine, NO_LINE, readLog } from "../chained-log.js";
import type { KeyRecord } from "../key-record.js";

/** Records of one line of a key log that is written whole. */
const LINE_RECORDS_MAX = 256;

export interface KeyLogHeader {
  /** 2 has no ledger beside it yet; with 3 a missing ledger is damage, and a version that knows none refuses. */
  readonly format: 2 | 3;
  readonly custody_id: string;
  /** `MasterKey.checkValue`, base64. */
  readonly check: string;
}

export interface KeyLog extends LogEnd {
  readonly header: KeyLogHeader;
  readonly records: readonly KeyRecord[];
}

function parseHeader(value: unknown, path: string): KeyLogHeader {
  const header = value as KeyLogHeader;
  if (header.format === 2 || header.format === 3) return header;
  throw new MunimentError(
    "unavailable",
    `the key log \`${path}\` was written by another version of muniment`,
  );
}

/** Reads a whole key log; null for an empty one. */
export function parseKeyLog(bytes: Buffer, path: string): KeyLog | null {
  let header: KeyLogHeader | undefined;
  const records: KeyRecord[] = [];
  const end = readLog(bytes, "key log", path, (value) => {
    if (header === undefined) header = parseHeader(value, path);
    else records.push(...(value as readonly KeyRecord[]));
  });
  return end === null || header === undefined ? null : { ...end, header, records };
}

/** A whole key log, in lines of bounded length. */
export function keyLogLines(
  header: KeyLogHeader,
  records: readonly KeyRecord[],
): readonly string[] {
  const lines = [logLine(NO_LINE, header)];
  for (let start = 0; start < records.length; start += LINE_RECORDS_MAX) {
    const previous = checksumOf(lines.at(-1) ?? NO_LINE);
    lines.push(logLine(previous, records.slice(start, start + LINE_RECORDS_MAX)));
  }
  return lines;
}
