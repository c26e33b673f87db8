import stringify from "safe-stable-stringify";
import { refuseCredential } from "../domain/credential-text.js";
import { invalid, isObject } from "../domain/fields.js";
import { parseText } from "../domain/input.js";
import type { TenantKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Unmet } from "../domain/unmet.js";
import type { Caller } from "./caller.js";

type Defined = "route" | "field" | "dimension";

/** The reason of the change belongs to the version, not to what is defined. */
export function splitReason(body: unknown) {
  if (!isObject(body)) throw invalid("body", "must be of type object");
  const { reason, ...definition } = body;
  return { reason, definition };
}

/** Why there is a new version. The first one needs no reason. */
export function parseReason(reason: unknown): string {
  const why =
    reason === undefined ? "first version" : parseText(reason, "reason", LIMITS.reasonCharsMax);
  refuseCredential(why, "reason");
  return why;
}

interface Latest {
  readonly version: number;
  readonly definition: { readonly version: number };
}

interface Drafted {
  readonly what: Defined;
  readonly draft: object;
  /** As it was given. */
  readonly reason: unknown;
  /** What the first try failed with, where another writer was first. */
  readonly lost?: Unmet | null;
}

/** Which version stands from now on: a new one, or the latest where it says the same already. */
export function versionAfter(
  latest: Latest | undefined,
  { what, draft, reason, lost = null }: Drafted,
): { readonly version: number; readonly changed: boolean } {
  if (latest !== undefined && isSame(latest.definition, draft))
    return { version: latest.version, changed: false };
  if (lost !== null) throw lost;
  if (latest !== undefined && reason === undefined)
    throw invalid("reason", `is required: say why the ${what} changes`);
  return { version: (latest?.version ?? 0) + 1, changed: true };
}

function isSame({ version: _, ...stored }: Latest["definition"], draft: object): boolean {
  return stringify(stored) === stringify(draft);
}

/** Who wrote a version: a reference in clear, and sealed the name that they go by. */
export function authorOf(
  { principal }: Caller,
  key: TenantKey,
  {
    table,
    row,
    version,
  }: { readonly table: Defined; readonly row: string; readonly version: number },
) {
  const place = { table, column: "author_sealed", row, within: "", version };
  return { authorRef: principal.ref, authorSealed: key.seal(place, principal.claims.id) };
}
