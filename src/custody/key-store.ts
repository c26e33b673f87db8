import type { KeyName } from "./cipher.js";

/** Whether an empty store may be started: `existing` where the database already remembers its custody. */
export type Expectation = "existing" | "new-or-existing";

/** What a custody driver does: it keeps wrapped keys and never sees one unwrapped. */
export interface KeyStore {
  /** Made once, with the store (UUID). */
  readonly custodyId: string;
  /**
   * Stores the wrapped key unless one stands under this name. Resolves, once durable, with what stands there now,
   * or with null where a key of this name was destroyed (a name never lives twice), and where `check` is no longer the
   * custody's: another process has changed the master key. Safe across processes.
   */
  put(name: KeyName, wrapped: Uint8Array, at: Date, check: Uint8Array): Promise<Uint8Array | null>;
  /**
   * Puts `after` in the place of `before`, durable when it resolves, and nothing of `before` is left. False where something
   * else stands there, and where `check` is no longer the custody's.
   */
  replace(
    name: KeyName,
    before: Uint8Array,
    after: Uint8Array,
    check: Uint8Array,
  ): Promise<boolean>;
  /** Null where it was destroyed or never made. */
  get(name: KeyName): Promise<Uint8Array | null>;
  /** Durable when it resolves: the wrapped key is gone, a note without it remains. Idempotent. */
  destroy(name: KeyName, at: Date): Promise<void>;
  /** True where no key was ever stored, a destroyed one included. */
  isEmpty(): Promise<boolean>;
  /** `MasterKey.checkValue` of the master key that wraps its keys now. */
  check(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** One string for one name: the parts are UUIDs or empty. */
export function nameText(name: KeyName): string {
  return `${name.tenant}/${name.subject}/${name.keyId}`;
}
