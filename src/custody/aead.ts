import type { KeyObject } from "node:crypto";
import { createCipheriv, createDecipheriv, randomFillSync } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const TAG = { authTagLength: TAG_BYTES };

/** First byte of a value that the first version of a key sealed, and a part of its associated data. */
export const FORMAT = 1;
/** First byte of a value that a later version of a key sealed; the version follows (4 bytes). */
const VERSIONED_FORMAT = 2;
const VERSION_BYTES = 4;

/** Random bytes for the next nonces: asking the system for twelve costs as much as for thousands. */
const pool = Buffer.alloc(NONCE_BYTES * 256);
let poolUsed = pool.length;

/** INVARIANT: no byte of the pool is given out twice. */
function newNonce(): Buffer {
  if (poolUsed === pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const nonce = Buffer.from(pool.subarray(poolUsed, poolUsed + NONCE_BYTES));
  poolUsed += NONCE_BYTES;
  return nonce;
}

/** What stands before the nonce of all that a version of a key seals. */
export function headOf(version: number): Buffer {
  if (version === 1) return Buffer.of(FORMAT);
  const head = Buffer.alloc(1 + VERSION_BYTES);
  head[0] = VERSIONED_FORMAT;
  head.writeUInt32BE(version, 1);
  return head;
}

/** The version of the key that sealed a value; null for what isn't one. */
export function versionOf(sealed: Uint8Array): number | null {
  if (sealed[0] === FORMAT) return 1;
  if (sealed[0] !== VERSIONED_FORMAT || sealed.length < 1 + VERSION_BYTES) return null;
  const version = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length).readUInt32BE(1);
  return version > 1 ? version : null;
}

/**
 * AES-256-GCM: head (`headOf`) | nonce (12) | ciphertext | tag (16). A nonce is random: one key stays far below the
 * 2^32 values at which two of them could meet.
 */
export function sealBytes(
  key: KeyObject,
  associated: string,
  plain: Uint8Array | string,
  version = 1,
): Buffer {
  const head = headOf(version);
  const nonce = newNonce();
  const cipher = createCipheriv(CIPHER, key, nonce, TAG);
  cipher.setAAD(Buffer.from(associated, "utf8"));
  const body = typeof plain === "string" ? cipher.update(plain, "utf8") : cipher.update(plain);
  cipher.final();
  const start = head.length + NONCE_BYTES;
  const sealed = Buffer.allocUnsafe(start + body.length + TAG_BYTES);
  sealed.set(head);
  sealed.set(nonce, head.length);
  sealed.set(body, start);
  sealed.set(cipher.getAuthTag(), start + body.length);
  return sealed;
}

/** Null where the bytes weren't sealed with this key and this associated data, whatever the reason. */
export function openBytes(key: KeyObject, associated: string, sealed: Uint8Array): Buffer | null {
  const headEnd = sealed[0] === VERSIONED_FORMAT ? 1 + VERSION_BYTES : 1;
  const start = headEnd + NONCE_BYTES;
  if (sealed.length < start + TAG_BYTES || versionOf(sealed) === null) return null;
  const tagStart = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(headEnd, start), TAG);
  decipher.setAAD(Buffer.from(associated, "utf8"));
  decipher.setAuthTag(sealed.subarray(tagStart));
  const plain = decipher.update(sealed.subarray(start, tagStart));
  try {
    decipher.final();
  } catch {
    return null;
  }
  return plain;
}
