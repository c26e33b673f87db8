import type { KeyObject } from "node:crypto";
import { createHmac, createSecretKey } from "node:crypto";
import { assert } from "../domain/errors.js";
import type { KeyId, SubjectId, TenantId } from "../domain/ids.js";
import type { Place, SubjectKey, TenantKey } from "../domain/keyring.js";
import { IntegrityError } from "../domain/keyring.js";
import { FORMAT, openBytes, sealBytes } from "./aead.js";
import { deriveKey } from "./derive.js";

/** Which data key. `subject` is `""` and `keyId` the tenant's own id for the key of a tenant. */
export interface KeyName {
  readonly tenant: string;
  readonly subject: string;
  readonly keyId: string;
}

/** A JSON array keeps its parts apart, whatever stands in them. */
function associatedData(name: KeyName, place: Place): string {
  const { table, column, row, within, version } = place;
  return JSON.stringify([
    FORMAT,
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

function openPlain(key: KeyObject, name: KeyName, place: Place, sealed: Uint8Array): Buffer {
  const plain = openBytes(key, associatedData(name, place), sealed);
  if (plain === null) throw new IntegrityError(place);
  return plain;
}

function open(key: KeyObject, name: KeyName, place: Place, sealed: Uint8Array): string {
  return openPlain(key, name, place, sealed).toString("utf8");
}

function mac(key: KeyObject, purpose: string, text: string): Uint8Array {
  return createHmac("sha256", key)
    .update(JSON.stringify([purpose, text]))
    .digest();
}

/** The keys of a subject, from its data key (32 bytes). The caller wipes `data`. */
export function subjectKeyOf(
  tenant: TenantId,
  subject: SubjectId,
  keyId: KeyId,
  data: Uint8Array,
): SubjectKey {
  const name: KeyName = { tenant, subject, keyId };
  const root = createSecretKey(data);
  const content = deriveKey(root, "subject/content");
  const terms = deriveKey(root, "subject/terms");
  const lookup = deriveKey(root, "subject/look-up");
  return Object.freeze({
    tenant,
    subject,
    keyId,
    seal: (place: Place, text: string) => seal(content, name, place, text),
    open: (place: Place, sealed: Uint8Array) => open(content, name, place, sealed),
    sealTerms: (place: Place, text: string) => seal(terms, name, place, text),
    openTerms: (place: Place, sealed: Uint8Array) => open(terms, name, place, sealed),
    sealIndex: (place: Place, bytes: Uint8Array) =>
      sealBytes(terms, associatedData(name, place), bytes),
    openIndex: (place: Place, sealed: Uint8Array) => openPlain(terms, name, place, sealed),
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
