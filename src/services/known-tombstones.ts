import { mayReturn } from "../domain/erasure-rules.js";
import type { TombstoneRow } from "../storage/queries/tombstone-find.js";
import { macText } from "./item-macs.js";

/** Tombstones of items that were found, by what they know them. */
export class KnownTombstones {
  readonly #byMac = new Map<string, TombstoneRow[]>();

  constructor(rows: readonly TombstoneRow[]) {
    for (const row of rows) {
      const mac = macText(row.itemMac);
      this.#byMac.set(mac, [...(this.#byMac.get(mac) ?? []), row]);
    }
  }

  /** True where none of them forbids what is known by these MACs, and claims this time, to come again. */
  letReturn(macs: readonly string[], observedAt: Date): boolean {
    const own = macs.flatMap((mac) => this.#byMac.get(mac) ?? []);
    return own.every((tombstone) => mayReturn(tombstone, observedAt));
  }
}
