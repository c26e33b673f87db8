import type { KeyObject } from "node:crypto";
import { createHmac, createSecretKey } from "node:crypto";
import { assert } from "../domain/errors.js";
import type { KeyId, SubjectId, TenantId } from "../domain/ids.js";
import type { Place, SubjectKey, TenantKey } from "../domain/keyring.js";
import { IntegrityError, StaleKeyError } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import { FORMAT, headOf, openBytes, sealBytes, versionOf } from "./aead.js";
import { deriveKey } from "./derive.js";
import { parseRing } from "./key-ring.js";

/** Which data key. `subject` is `""` and `keyId` the tenant's own id for the key of a tenant. */
export interface KeyName {
  readonly tenant: string;
  readonly subject: string;
  readonly keyId: string;
}

/** A JSON array keeps its parts apart, whatever stands in them. `keyVersion` is that of the data key. */
function associatedData(name: KeyName, place: Place, keyVersion = 1): string {
  const { table, column, row, within, version } = place;
  const format = keyVersion === 1 ? FORMAT : [keyVersion];
  return JSON.stringify([
    format,
    name.tenant,
    name.subject,
    name.keyId,
    table,
    column,
    row,
    within,
    version,
  ]);
}

function seal(key: KeyObject, name: KeyName, place: Place, text: string): Uint8Array {
  // UTF-8 would replace half a surrogate pair: another text would come back.
  assert(text.isWellFormed(), "sealed text is well-formed");
  return sealBytes(key, associatedData(name, place), text);
}

function open(key: KeyObject, name: KeyName, place: Place, sealed: Uint8Array): string {
  const plain = openBytes(key, associatedData(name, place), sealed);
  if (plain === null) throw new IntegrityError(place);
  return plain.toString("utf8");
}

function mac(key: KeyObject, purpose: string, text: string): Uint8Array {
  return createHmac("sha256", key)
    .update(JSON.stringify([purpose, text]))
    .digest();
}

interface VersionKeys {
  readonly content: KeyObject;
  readonly terms: KeyObject;
}

type Use = keyof VersionKeys;

/** How a key was taken from custody. */
interface Taken {
  readonly isTooOld: () => boolean;
  /** Versions that were met before, and that custody was then asked for. */
  readonly met: ReadonlySet<number>;
}

const JUST_TAKEN: Taken = { isTooOld: () => false, met: new Set() };

/** What a subject's data keys seal, and who may still seal with them. */
class SubjectCipher {
  readonly #name: KeyName;
  readonly #versions: ReadonlyMap<number, VersionKeys>;
  readonly #isTooOld: () => boolean;
  readonly #met: ReadonlySet<number>;
  readonly version: number;

  constructor(name: KeyName, versions: ReadonlyMap<number, VersionKeys>, { isTooOld, met }: Taken) {
    this.#name = name;
    this.#versions = versions;
    this.#isTooOld = isTooOld;
    this.#met = met;
    this.version = Math.max(...versions.keys());
  }

  seal(use: Use, place: Place, plain: Uint8Array | string): Uint8Array {
    // UTF-8 would replace half a surrogate pair: another text would come back.
    assert(typeof plain !== "string" || plain.isWellFormed(), "sealed text is well-formed");
    const keys = this.#versions.get(this.version);
    if (keys === undefined || this.#isTooOld()) throw new StaleKeyError(this.#name);
    const associated = associatedData(this.#name, place, this.version);
    return sealBytes(keys[use], associated, plain, this.version);
  }

  open(use: Use, place: Place, sealed: Uint8Array): Buffer {
    const version = versionOf(sealed);
    // A key that was made since this one was taken from custody; one that is older and isn't here was destroyed.
    if (version !== null && version > this.version) {
      // Custody never keeps so many, or was asked for it already: nobody sealed this.
      if (version > this.version + LIMITS.keyVersionsMax || this.#met.has(version))
        throw new IntegrityError(place);
      throw new StaleKeyError(this.#name, version);
    }
    const keys = version === null ? undefined : this.#versions.get(version);
    if (keys === undefined || version === null) throw new IntegrityError(place);
    const plain = openBytes(keys[use], associatedData(this.#name, place, version), sealed);
    if (plain === null) throw new IntegrityError(place);
    return plain;
  }

  /** Heads of what the versions before seal. */
  olderHeads(): readonly Uint8Array[] {
    return [...this.#versions.keys()].filter((version) => version !== this.version).map(headOf);
  }
}

/**
 * The keys of a subject, from its ring of data keys. The caller wipes `data`. Once `isTooOld` it seals nothing more:
 * a key before the newest one is destroyed at some time, and nothing may come after that.
 */
export function subjectKeyOf(
  tenant: TenantId,
  subject: SubjectId,
  keyId: KeyId,
  data: Uint8Array,
  taken: Taken = JUST_TAKEN,
): SubjectKey {
  const name: KeyName = { tenant, subject, keyId };
  const { lookup, versions } = parseRing(data);
  const keys = versions.map(({ version, root }): [number, VersionKeys] => [
    version,
    { content: deriveKey(root, "subject/content"), terms: deriveKey(root, "subject/terms") },
  ]);
  const cipher = new SubjectCipher(name, new Map(keys), taken);
  return Object.freeze({
    tenant,
    subject,
    keyId,
    version: cipher.version,
    olderHeads: cipher.olderHeads(),
    seal: (place: Place, text: string) => cipher.seal("content", place, text),
    open: (place: Place, sealed: Uint8Array) =>
      cipher.open("content", place, sealed).toString("utf8"),
    sealTerms: (place: Place, text: string) => cipher.seal("terms", place, text),
    openTerms: (place: Place, sealed: Uint8Array) =>
      cipher.open("terms", place, sealed).toString("utf8"),
    sealIndex: (place: Place, bytes: Uint8Array) => cipher.seal("terms", place, bytes),
    openIndex: (place: Place, sealed: Uint8Array) => cipher.open("terms", place, sealed),
    mac: (purpose: string, text: string) => mac(lookup, purpose, text),
  });
}

/** The keys of a tenant, from its data key (32 bytes). The caller wipes `data`. */
export function tenantKeyOf(tenant: TenantId, data: Uint8Array): TenantKey {
  const name = tenantKeyName(tenant);
  const root = createSecretKey(data);
  const content = deriveKey(root, "tenant/content");
  const lookup = deriveKey(root, "tenant/look-up");
  return Object.freeze({
    tenant,
    seal: (place: Place, text: string) => seal(content, name, place, text),
    open: (place: Place, sealed: Uint8Array) => open(content, name, place, sealed),
    mac: (purpose: string, text: string) => mac(lookup, purpose, text),
  });
}

/** A tenant has one key, so its name follows from the tenant: whoever makes it first, all others find it. */
export function tenantKeyName(tenant: TenantId): KeyName {
  return { tenant, subject: "", keyId: tenant };
}
