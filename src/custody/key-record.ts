import type { StoredKey } from "./content.js";

/** A key in a file: one that was made (`wrapped`, base64) or the note that it was destroyed (`destroyed_at`). */
export interface KeyRecord {
  readonly tenant: string;
  readonly subject: string;
  readonly key_id: string;
  readonly wrapped?: string;
  readonly created_at?: string;
  readonly destroyed_at?: string;
}

export function keyOf(record: KeyRecord): StoredKey {
  const { tenant, subject, key_id, wrapped, created_at, destroyed_at } = record;
  return {
    tenant,
    subject,
    keyId: key_id,
    wrapped: wrapped === undefined ? null : Buffer.from(wrapped, "base64"),
    createdAt: new Date(created_at ?? destroyed_at ?? 0),
    destroyedAt: destroyed_at === undefined ? null : new Date(destroyed_at),
  };
}

export function recordOf(key: StoredKey): KeyRecord {
  const { tenant, subject, keyId, wrapped, createdAt, destroyedAt } = key;
  const name = { tenant, subject, key_id: keyId };
  if (wrapped === null) return { ...name, destroyed_at: (destroyedAt ?? createdAt).toISOString() };
  return {
    ...name,
    wrapped: Buffer.from(wrapped).toString("base64"),
    created_at: createdAt.toISOString(),
  };
}
