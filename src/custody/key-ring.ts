import type { KeyObject } from "node:crypto";
import { createSecretKey, randomBytes } from "node:crypto";
import { assert } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import { deriveKey, KEY_BYTES } from "./derive.js";

const VERSION_BYTES = 4;
const ENTRY_BYTES = VERSION_BYTES + KEY_BYTES;
/** What a data key that was never changed counts as. */
const FIRST_VERSION = 1;

/**
 * A subject's data keys, as one wrapped key holds them. Never changed, it is the data key alone (32 bytes). Changed, it is
 * the look-up key, which stays, and then each data key behind its version (4 bytes), the newest first.
 */
export interface KeyRing {
  readonly lookup: KeyObject;
  /** At least one; the newest first. */
  readonly versions: readonly { readonly version: number; readonly root: KeyObject }[];
}

/** The caller wipes `data`. */
export function parseRing(data: Uint8Array): KeyRing {
  if (data.length === KEY_BYTES) {
    const root = createSecretKey(data);
    return {
      lookup: deriveKey(root, "subject/look-up"),
      versions: [{ version: FIRST_VERSION, root }],
    };
  }
  const entries = (data.length - KEY_BYTES) / ENTRY_BYTES;
  assert(Number.isInteger(entries) && entries > 0, "a ring of data keys is whole");
  const view = Buffer.from(data.buffer, data.byteOffset, data.length);
  const versions = Array.from({ length: entries }, (_, index) => {
    const at = KEY_BYTES + index * ENTRY_BYTES;
    const root = createSecretKey(view.subarray(at + VERSION_BYTES, at + ENTRY_BYTES));
    return { version: view.readUInt32BE(at), root };
  });
  return { lookup: createSecretKey(view.subarray(0, KEY_BYTES)), versions };
}

/** The ring with a new data key in front. Null where it holds as many as it may. The caller wipes it. */
export function ringWithNext(data: Uint8Array): Buffer | null {
  const { lookup, versions } = parseRing(data);
  if (versions.length >= LIMITS.keyVersionsMax) return null;
  const version = (versions[0]?.version ?? 0) + 1;
  const root = createSecretKey(randomBytes(KEY_BYTES));
  return encodeRing({ lookup, versions: [{ version, root }, ...versions] });
}

/** The ring without the data keys before a version; its newest one always stays. The caller wipes it. */
export function ringSince(data: Uint8Array, version: number): Buffer {
  const { lookup, versions } = parseRing(data);
  const kept = versions.filter((one, index) => index === 0 || one.version >= version);
  if (kept.length === versions.length) return Buffer.from(data);
  return encodeRing({ lookup, versions: kept });
}

function encodeRing({ lookup, versions }: KeyRing): Buffer {
  const bytes = Buffer.alloc(KEY_BYTES + versions.length * ENTRY_BYTES);
  bytes.set(lookup.export());
  for (const [index, { version, root }] of versions.entries()) {
    const at = KEY_BYTES + index * ENTRY_BYTES;
    bytes.writeUInt32BE(version, at);
    bytes.set(root.export(), at + VERSION_BYTES);
  }
  return bytes;
}
