import type { KeyObject } from "node:crypto";
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { IntegrityError } from "../domain/keyring.js";
import { FORMAT, openBytes, sealBytes } from "./aead.js";
import type { KeyName } from "./cipher.js";
import { deriveKey } from "./derive.js";

function associatedData(custodyId: string, name: KeyName): string {
  return JSON.stringify([FORMAT, custodyId, name.tenant, name.subject, name.keyId]);
}

/** Wraps data keys. A wrapped key opens only under its own name and in its own custody. */
export class MasterKey {
  readonly #wrapping: KeyObject;
  readonly #checking: KeyObject;
  readonly #vouching: KeyObject;

  /** `bytes` are 32; the caller wipes them. */
  constructor(bytes: Uint8Array) {
    const root = createSecretKey(bytes);
    this.#wrapping = deriveKey(root, "master/wrap");
    this.#checking = deriveKey(root, "master/check");
    this.#vouching = deriveKey(root, "master/vouch");
  }

  wrap(custodyId: string, name: KeyName, data: Uint8Array): Uint8Array {
    return sealBytes(this.#wrapping, associatedData(custodyId, name), data);
  }

  /** The data key; the caller wipes it. Throws `IntegrityError` for bytes that were altered or moved. */
  unwrap(custodyId: string, name: KeyName, wrapped: Uint8Array): Buffer {
    const data = openBytes(this.#wrapping, associatedData(custodyId, name), wrapped);
    if (data !== null) return data;
    throw new IntegrityError({
      table: "custody",
      column: "wrapped",
      row: name.keyId,
      within: name.subject,
      version: 1,
    });
  }

  /** 32 bytes that stand in the header of a custody and tell a wrong master key at once. */
  checkValue(custodyId: string): Uint8Array {
    return createHmac("sha256", this.#checking).update(custodyId).digest();
  }

  /** Base64: who has the master key has made this text. */
  vouch(text: string): string {
    return createHmac("sha256", this.#vouching).update(text, "utf8").digest("base64");
  }
}

export function isMasterOf(master: MasterKey, custodyId: string, checkValue: Uint8Array): boolean {
  const expected = master.checkValue(custodyId);
  return checkValue.length === expected.length && timingSafeEqual(checkValue, expected);
}
