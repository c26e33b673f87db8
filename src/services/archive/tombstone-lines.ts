import { z } from "zod";
import type { ArchiveLine } from "../../domain/archive.js";
import { ERASURE_REASONS } from "../../domain/erasure.js";
import type { LedgerKey } from "../../domain/ledger.js";
import type { ArchivedTombstone } from "../../storage/queries/tombstone-archive.js";
import { TOMBSTONE_KINDS } from "../../storage/queries/tombstone-insert.js";
import { hex } from "../field-values.js";
import { instant } from "../inputs/parse.js";

const MAC = z.string().regex(/^[0-9a-f]{64}$/);

export const tombstoneLine = z.strictObject({
  kind: z.literal("tombstone"),
  of: z.enum(TOMBSTONE_KINDS),
  item_mac: MAC,
  /** Which ledger's key it was made under: it says nothing under any other. */
  ledger_key: MAC,
  erasure_id: z.uuid(),
  reason: z.enum(ERASURE_REASONS),
  recorded_at: instant,
  expires_at: instant.nullable(),
});
export type TombstoneLine = z.output<typeof tombstoneLine>;

/** A mark of the tenant's ledger key, which tells nothing of the key. */
export function markOf(key: LedgerKey): string {
  return hex(Buffer.from(key.mac("content", "mark of the ledger key"), "base64"));
}

export function toTombstoneLine(row: ArchivedTombstone, mark: string): ArchiveLine {
  return {
    kind: "tombstone",
    of: row.kind,
    item_mac: hex(row.itemMac),
    ledger_key: mark,
    erasure_id: row.erasureId,
    reason: row.reason,
    recorded_at: row.recordedAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
  };
}

export function toTombstone(line: TombstoneLine): ArchivedTombstone {
  return {
    kind: line.of,
    itemMac: Buffer.from(line.item_mac, "hex"),
    erasureId: line.erasure_id,
    reason: line.reason,
    recordedAt: line.recorded_at,
    expiresAt: line.expires_at,
  };
}
