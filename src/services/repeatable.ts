import type { SubjectKey, TenantKey } from "../domain/keyring.js";

/** A request whose reply is kept under the caller's key. */
export interface Repeatable {
  readonly key: SubjectKey | TenantKey;
  readonly keyMac: Uint8Array;
  readonly requestMac: Uint8Array;
}
