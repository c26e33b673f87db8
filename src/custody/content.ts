import type { KeyName } from "./cipher.js";
import type { StoredLine } from "./ledger-store.js";

/** A key as custody keeps it: wrapped, or the note that it was destroyed. */
export interface StoredKey extends KeyName {
  /** Null where it was destroyed. */
  readonly wrapped: Uint8Array | null;
  readonly createdAt: Date;
  readonly destroyedAt: Date | null;
}

export interface TenantLine extends StoredLine {
  readonly tenant: string;
}

/** All of a custody as of one moment. */
export interface CustodyContent {
  readonly custodyId: string;
  /** `MasterKey.checkValue`. */
  readonly check: Uint8Array;
  readonly keys: readonly StoredKey[];
  /** Lines of all tenants, each tenant's in order. */
  readonly lines: readonly TenantLine[];
}

/** What an operator does with a whole custody. */
export interface Vault {
  /** As of one moment, beside whoever uses it. Null where there is no custody. */
  read(): Promise<CustodyContent | null>;
  /** Makes a custody where there is none; durable when it resolves, all of it or nothing. */
  write(content: CustodyContent): Promise<void>;
  /**
   * Wraps all keys anew, all of them or none, durable when it resolves. `rewrap` makes the custody's new content of the
   * one that stands. Nobody makes or destroys a key meanwhile.
   */
  rewrap(rewrap: (content: CustodyContent) => CustodyContent): Promise<void>;
}
