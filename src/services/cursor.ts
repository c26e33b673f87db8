import { timingSafeEqual } from "node:crypto";
import { MunimentError } from "../domain/errors.js";
import type { SubjectKey, TenantKey } from "../domain/keyring.js";
import type { Principal } from "../domain/principal.js";

/**
 * A place in a list, as an opaque text. It carries a MAC over the caller and the query, so that it works for
 * this caller and this list alone.
 */
export function makeCursor(
  key: SubjectKey | TenantKey,
  principal: Principal,
  query: readonly unknown[],
  position: string,
): string {
  return Buffer.from(JSON.stringify([position, macOf(key, principal, query, position)])).toString(
    "base64url",
  );
}

/** The position inside a cursor, or null where there is no cursor. */
export function readCursor(
  key: SubjectKey | TenantKey,
  principal: Principal,
  query: readonly unknown[],
  cursor: string | undefined,
): string | null {
  if (cursor === undefined) return null;
  const [position, mac] = decode(cursor);
  if (
    typeof position === "string" &&
    typeof mac === "string" &&
    isSame(mac, macOf(key, principal, query, position))
  )
    return position;
  throw new MunimentError(
    "invalid_input",
    "`cursor` isn't one of this list: start again without it",
    { field: "cursor" },
  );
}

function decode(cursor: string): readonly unknown[] {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(decoded) ? decoded : [];
  } catch {
    return [];
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function macOf(
  key: SubjectKey | TenantKey,
  principal: Principal,
  query: readonly unknown[],
  position: string,
): string {
  return Buffer.from(key.mac("cursor", JSON.stringify([principal.ref, query, position]))).toString(
    "base64url",
  );
}
