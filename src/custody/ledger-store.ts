import type { TenantId } from "../domain/ids.js";
import type { LedgerHead } from "../domain/ledger.js";

/** A line as a driver keeps it: it knows neither what the text says nor the key of the MAC. */
export interface StoredLine {
  readonly seq: number;
  readonly text: string;
  /** Hex. */
  readonly mac: string;
}

/** What a custody driver does for the ledger: it keeps lines in order and never changes one. */
export interface LedgerStore {
  /**
   * Stores what `chain` makes of the head that stands, all of it or nothing; durable when it resolves. One append of a
   * tenant at a time, across processes, so that its lines are numbered without a gap. `chain` may be called again.
   */
  append(tenant: TenantId, chain: (head: LedgerHead) => readonly StoredLine[]): Promise<void>;
  /** Lines from `seq` on, in order, at most `limit`. */
  read(tenant: TenantId, seq: number, limit: number): Promise<readonly StoredLine[]>;
  head(tenant: TenantId): Promise<LedgerHead>;
  /** All that have a line. */
  tenants(): Promise<readonly TenantId[]>;
  close(): Promise<void>;
}
