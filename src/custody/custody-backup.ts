import { MunimentError } from "../domain/errors.js";
import { checksumOf, logLine, NO_LINE, readLog } from "./chained-log.js";
import type { CustodyContent, TenantLine } from "./content.js";
import { type KeyRecord, keyOf, recordOf } from "./key-record.js";
import type { MasterKey } from "./master-key.js";

/** A custody's backup in one file: a chained log whose last line vouches, under the master key, for all before it. */
export interface CustodyBackup {
  readonly content: CustodyContent;
  readonly takenAt: Date;
  /** What the master key of `content` must have said. */
  isVouchedBy(master: MasterKey): boolean;
}

interface Header {
  readonly format: 1;
  readonly custody_id: string;
  readonly check: string;
  readonly taken_at: string;
}

interface Part {
  readonly keys?: readonly KeyRecord[];
  readonly lines?: readonly TenantLine[];
  readonly voucher?: string;
}

/** Records of one line. */
const RECORDS_MAX = 256;

export function* backupLines(
  { custodyId, check, keys, lines }: CustodyContent,
  takenAt: Date,
  master: MasterKey,
): Generator<string> {
  const header: Header = {
    format: 1,
    custody_id: custodyId,
    check: Buffer.from(check).toString("base64"),
    taken_at: takenAt.toISOString(),
  };
  let line = logLine(NO_LINE, header);
  yield line;
  const parts: Part[] = [
    ...batchesOf(keys).map((some) => ({ keys: some.map(recordOf) })),
    ...batchesOf(lines).map((some) => ({ lines: some })),
  ];
  for (const part of parts) {
    line = logLine(checksumOf(line), part);
    yield line;
  }
  yield logLine(checksumOf(line), { voucher: master.vouch(checksumOf(line)) } satisfies Part);
}

/** Reads what `backupLines` wrote. Throws where it is damaged or was cut short. */
export function parseBackup(bytes: Buffer, path: string): CustodyBackup {
  let header: Header | undefined;
  let voucher: string | undefined;
  let vouched = NO_LINE;
  let last = NO_LINE;
  const keys: KeyRecord[] = [];
  const lines: TenantLine[] = [];
  readLog(bytes, "custody backup", path, (value, place) => {
    if (header === undefined) header = parseHeader(value, path);
    else {
      const part = value as Part;
      keys.push(...(part.keys ?? []));
      lines.push(...(part.lines ?? []));
      voucher = part.voucher;
      vouched = last;
    }
    last = checksumOf(bytes.toString("latin1", place.start, place.start + place.bytes));
  });
  if (header === undefined || voucher === undefined)
    throw new MunimentError("invalid_input", `the custody backup \`${path}\` was cut short`);
  const { custody_id, check, taken_at } = header;
  return {
    content: {
      custodyId: custody_id,
      check: Buffer.from(check, "base64"),
      keys: keys.map(keyOf),
      lines,
    },
    takenAt: new Date(taken_at),
    isVouchedBy: (master) => master.vouch(vouched) === voucher,
  };
}

function parseHeader(value: unknown, path: string): Header {
  const header = value as Header;
  if (header.format === 1 && typeof header.taken_at === "string") return header;
  throw new MunimentError("invalid_input", `\`${path}\` isn't a custody backup of this version`);
}

function batchesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / RECORDS_MAX);
  return Array.from({ length: count }, (_, n) =>
    items.slice(n * RECORDS_MAX, (n + 1) * RECORDS_MAX),
  );
}
