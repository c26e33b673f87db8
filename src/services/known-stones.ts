import { mayReturn } from "../domain/erasure-rules.js";
import type { TombstoneRow } from "../storage/queries/tombstone-find.js";

/** Tombstones of items that were found, by what they know them. */
export class KnownStones {
  readonly #byMac = new Map<string, TombstoneRow[]>();

  constructor(rows: readonly TombstoneRow[]) {
    for (const row of rows) {
      const mac = macText(row.itemMac);
      this.#byMac.set(mac, [...(this.#byMac.get(mac) ?? []), row]);
    }
  }

  /** True where none of them forbids what is known by these MACs, and claims this time, to come again. */
  letReturn(macs: readonly string[], observedAt: Date): boolean {
    const stones = macs.flatMap((mac) => this.#byMac.get(mac) ?? []);
    return stones.every((stone) => mayReturn(stone, observedAt));
  }
}

/** MACs as the database takes them, each once. */
export function macBytes(macs: Iterable<string>): readonly Uint8Array[] {
  return [...new Set(macs)].map((mac) => Buffer.from(mac, "base64"));
}

/** An HMAC as the ledger spells it. */
export function macText(mac: Uint8Array): string {
  return Buffer.from(mac).toString("base64");
}
