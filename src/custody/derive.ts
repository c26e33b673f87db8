import type { KeyObject } from "node:crypto";
import { createSecretKey, hkdfSync } from "node:crypto";

/** Bytes of every key here: the master key, a data key, and what is derived from them. */
export const KEY_BYTES = 32;

/**
 * HKDF-SHA256 of one key for one use. No salt: the root is already 32 uniformly random bytes.
 * `use` names what the derived key does, so that no two uses ever share one.
 */
export function deriveKey(root: KeyObject, use: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", root, "", `muniment/1/${use}`, KEY_BYTES)));
}
