import type { KeyObject } from "node:crypto";
import { createCipheriv, createDecipheriv, randomFillSync } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const TAG = { authTagLength: TAG_BYTES };

/** First byte of every sealed value, and a part of its associated data. */
export const FORMAT = 1;
const HEAD_BYTES = 1 + NONCE_BYTES;

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

/**
 * AES-256-GCM: format (1 byte) | nonce (12) | ciphertext | tag (16). A nonce is random: one key stays far below the
 * 2^32 values at which two of them could meet.
 */
export function sealBytes(key: KeyObject, associated: string, plain: Uint8Array | string): Buffer {
  const nonce = newNonce();
  const cipher = createCipheriv(CIPHER, key, nonce, TAG);
  cipher.setAAD(Buffer.from(associated, "utf8"));
  const body = typeof plain === "string" ? cipher.update(plain, "utf8") : cipher.update(plain);
  cipher.final();
  const sealed = Buffer.allocUnsafe(HEAD_BYTES + body.length + TAG_BYTES);
  sealed[0] = FORMAT;
  sealed.set(nonce, 1);
  sealed.set(body, HEAD_BYTES);
  sealed.set(cipher.getAuthTag(), HEAD_BYTES + body.length);
  return sealed;
}

/** Null where the bytes weren't sealed with this key and this associated data, whatever the reason. */
export function openBytes(key: KeyObject, associated: string, sealed: Uint8Array): Buffer | null {
  if (sealed.length < HEAD_BYTES + TAG_BYTES || sealed[0] !== FORMAT) return null;
  const tagStart = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(1, HEAD_BYTES), TAG);
  decipher.setAAD(Buffer.from(associated, "utf8"));
  decipher.setAuthTag(sealed.subarray(tagStart));
  const plain = decipher.update(sealed.subarray(HEAD_BYTES, tagStart));
  try {
    decipher.final();
  } catch {
    return null;
  }
  return plain;
}
