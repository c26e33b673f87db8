import { createHash } from "node:crypto";
import { MunimentError } from "../domain/errors.js";

// A log of custody is lines of `checksum JSON`. The first is the header, every other one is a batch that was written
// and synced at once: so only the last line can be torn, and all of it is unacknowledged. Each checksum covers the one
// before it, so that a line taken out, moved or brought back is damage too.

const NEXT_STEP = {
  "key log": "restore the custody from a backup",
  ledger: "restore the custody from a backup",
  "custody backup": "take another one",
} as const;

export type LogName = keyof typeof NEXT_STEP;

/** Where a line stands in its file, without its line end. */
export interface LinePlace {
  readonly start: number;
  readonly bytes: number;
}

/** How far a log is good. */
export interface LogEnd {
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
export function logLine(previous: string, value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksum(previous, json)} ${json}\n`;
}

export function checksumOf(line: string): string {
  return line.slice(0, CHECKSUM_CHARS);
}

/** The JSON of a line that was found whole before. */
export function jsonOf(line: string): string {
  return line.slice(CHECKSUM_CHARS + 1);
}

export function damaged(name: LogName, path: string, line: number): MunimentError {
  return new MunimentError(
    "unavailable",
    `line ${line} of the ${name} \`${path}\` is damaged: ${NEXT_STEP[name]}`,
  );
}

function parseLine(previous: string, line: string): unknown {
  const json = jsonOf(line);
  return checksumOf(line) === checksum(previous, json) && line[CHECKSUM_CHARS] === " "
    ? JSON.parse(json)
    : undefined;
}

/**
 * Reads a whole log and hands each line to `onLine`, the header first; null for an empty one. A last line without its
 * end, or with zeros where its bytes never reached the disk, is a torn append. Anything else that doesn't match its
 * checksum is damage, and is refused: skipping it could drop a key that rows still need, or somebody's erasure.
 */
export function readLog(
  bytes: Buffer,
  name: LogName,
  path: string,
  onLine: (value: unknown, place: LinePlace) => void,
): LogEnd | null {
  if (bytes.length === 0) return null;
  let start = 0;
  let previous = NO_LINE;
  for (let number = 1; start < bytes.length; number += 1) {
    const end = bytes.indexOf("\n", start);
    const isLast = end === -1 || end === bytes.length - 1;
    const line = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (number > 1 && isLast && (end === -1 || line.includes(0))) break;
    const text = line.toString("utf8");
    const value = end === -1 ? undefined : parseLine(previous, text);
    if (value === undefined) throw damaged(name, path, number);
    onLine(value, { start, bytes: line.length });
    previous = checksumOf(text);
    start = end + 1;
  }
  return { length: start, checksum: previous };
}
