import { MunimentError } from "../../domain/errors.js";
import { type LogEnd, readLog } from "./chained-log.js";

export interface KeyLogHeader {
  /** 2 has no ledger beside it yet; with 3 a missing ledger is damage, and a version that knows none refuses. */
  readonly format: 2 | 3;
  readonly custody_id: string;
  /** `MasterKey.checkValue`, base64. */
  readonly check: string;
}

/** A key that was made (`wrapped`, base64) or the note that it was destroyed (`destroyed_at`). */
export interface KeyRecord {
  readonly tenant: string;
  readonly subject: string;
  readonly key_id: string;
  readonly wrapped?: string;
  readonly created_at?: string;
  readonly destroyed_at?: string;
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
