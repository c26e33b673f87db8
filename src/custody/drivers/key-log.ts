import { createHash } from "node:crypto";
import { MunimentError } from "../../domain/errors.js";

// The log is lines of `checksum JSON`. The first is the header, every other one is a batch that was written and
// synced at once: so only the last line can be torn, and all of it is unacknowledged. Each checksum covers the one
// before it, so that a line taken out, moved or brought back is damage too.

export interface LogHeader {
  readonly format: 2;
  readonly custody_id: string;
  /** `MasterKey.checkValue`, base64. */
  readonly check: string;
}

/** A key that was made (`wrapped`, base64) or the note that it was destroyed (`destroyed_at`). */
export interface LogRecord {
  readonly tenant: string;
  readonly subject: string;
  readonly key_id: string;
  readonly wrapped?: string;
  readonly created_at?: string;
  readonly destroyed_at?: string;
}

export interface LogContent {
  readonly header: LogHeader;
  readonly records: readonly LogRecord[];
  /** Bytes up to the end of the last whole line: what follows is a torn tail. */
  readonly length: number;
  /** Of the last whole line: what the next line's covers. */
  readonly checksum: string;
}

const CHECKSUM_CHARS = 32;

/** What the header's checksum covers. */
export const NO_LINE = "";

function checksum(previous: string, json: string): string {
  return createHash("sha256").update(previous).update(json).digest("hex").slice(0, CHECKSUM_CHARS);
}

/** The next line of a log whose last line has the checksum `previous`. */
export function logLine(previous: string, value: LogHeader | readonly LogRecord[]): string {
  const json = JSON.stringify(value);
  return `${checksum(previous, json)} ${json}\n`;
}

export function checksumOf(line: string): string {
  return line.slice(0, CHECKSUM_CHARS);
}

function damaged(path: string, line: number): MunimentError {
  return new MunimentError(
    "unavailable",
    `line ${line} of the key log \`${path}\` is damaged: restore the custody from a backup, keys may be missing`,
  );
}

function parseLine(previous: string, line: string): unknown {
  const json = line.slice(CHECKSUM_CHARS + 1);
  return checksumOf(line) === checksum(previous, json) && line[CHECKSUM_CHARS] === " "
    ? JSON.parse(json)
    : undefined;
}

function parseHeader(value: unknown, path: string): LogHeader {
  const header = value as LogHeader | undefined;
  if (header === undefined) throw damaged(path, 1);
  if (header.format !== 2)
    throw new MunimentError(
      "unavailable",
      `the key log \`${path}\` was written by another version of muniment`,
    );
  return header;
}

/**
 * Reads a whole log; null for an empty one. A last line without its end, or with zeros where its bytes never reached
 * the disk, is a torn append. Anything else that doesn't match its checksum is damage, and is refused: skipping it
 * could drop a key that rows still need.
 */
export function parseLog(bytes: Buffer, path: string): LogContent | null {
  if (bytes.length === 0) return null;
  let header: LogHeader | undefined;
  const records: LogRecord[] = [];
  let start = 0;
  let previous = NO_LINE;
  for (let number = 1; start < bytes.length; number += 1) {
    const end = bytes.indexOf("\n", start);
    const isLast = end === -1 || end === bytes.length - 1;
    const line = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (header !== undefined && isLast && (end === -1 || line.includes(0))) break;
    const text = line.toString("utf8");
    const value = end === -1 ? undefined : parseLine(previous, text);
    if (header === undefined) header = parseHeader(value, path);
    else if (Array.isArray(value)) records.push(...(value as LogRecord[]));
    else throw damaged(path, number);
    previous = checksumOf(text);
    start = end + 1;
  }
  return header === undefined ? null : { header, records, length: start, checksum: previous };
}
