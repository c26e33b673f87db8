import type { RunId } from "../domain/ids.js";
import type { SubjectKey, TenantKey } from "../domain/keyring.js";

/** A request whose reply is kept under the caller's key. */
export interface Repeatable {
  readonly key: SubjectKey | TenantKey;
  readonly keyMac: Uint8Array;
  readonly requestMac: Uint8Array;
  /** The run whose memory the reply shows; null where it ended since. Absent where the reply shows none. */
  readonly shows?: RunId | null;
}
