import type { NarrowScope } from "../domain/erasure.js";
import { parseFieldId } from "../domain/field-rules.js";
import { type FieldId, isUuid } from "../domain/ids.js";
import type { LedgerKey } from "../domain/ledger.js";
import type { Permit } from "../domain/permit.js";
import type { Principal } from "../domain/principal.js";
import { listFieldIds } from "../storage/queries/field-find.js";
import { findMapping, findStoredField, findTarget } from "../storage/queries/reach-find.js";
import type { Transaction } from "../storage/store.js";
import { orAlarm } from "./integrity.js";
import { itemMacs } from "./item-macs.js";
import { macUuid } from "./mac-uuid.js";
import type { Services } from "./services.js";
import { externalLookup, externalPlace, type KnownSubject } from "./subjects.js";

/** What is to be forgotten of a subject that lives on. */
export interface NarrowTarget {
  readonly scope: NarrowScope;
  /** Internal id. A field's is made of its name, so that it stands for the field where only ids may stand. */
  readonly target: string;
  /** False where the subject has it no more, or never had. */
  readonly isThere: boolean;
  /** The field, where it is one. */
  readonly field: FieldId | null;
  /** The application's own id, where the target has one. */
  readonly externalId: string | null;
}

/** Finds what a caller names by the application's id or by ours. */
export async function findNarrowTarget(
  services: Services,
  tx: Transaction,
  permit: Permit,
  known: KnownSubject,
  { scope, named }: { readonly scope: NarrowScope; readonly named: string },
): Promise<NarrowTarget | null> {
  const ours = isUuid(named) ? named : null;
  if (scope === "field") {
    const field = parseFieldId(named, "target");
    const key = await services.keyring.ledger.key(permit.scope.tenant);
    const [[found]] = await tx.send([findStoredField(permit, field)]);
    const target = fieldTarget(key, field);
    return { scope, target, isThere: found?.isThere === true, field, externalId: null };
  }
  if (scope === "session" || scope === "source") {
    const lookup = externalLookup(known.key, permit.scope.workspace, scope, named);
    const [[row]] = await tx.send([findMapping(permit, scope, { lookup, internalId: ours })]);
    if (row === undefined) return null;
    const place = externalPlace(scope, row.lookup, row.internalId);
    const externalId = orAlarm(services.onAlarm, () => known.key.open(place, row.sealed));
    if (externalId === null) return null;
    const target = row.internalId;
    const [[found]] = await tx.send([findTarget(permit, { scope, target })]);
    return { scope, target, isThere: found?.isThere === true, field: null, externalId };
  }
  if (ours === null) return null;
  const [[found]] = await tx.send([findTarget(permit, { scope, target: ours })]);
  return { scope, target: ours, isThere: found?.isThere === true, field: null, externalId: null };
}

/** A field's name in the form of an id. */
function fieldTarget(key: LedgerKey, field: string): string {
  return macUuid(Buffer.from(key.mac("source", JSON.stringify(["field", field])), "base64"));
}

/** The field that such an id stands for, among those that the tenant has defined. */
export async function fieldOfTarget(
  services: Services,
  tx: Transaction,
  permit: Permit,
  target: string,
): Promise<FieldId | null> {
  const key = await services.keyring.ledger.key(permit.scope.tenant);
  const [fields] = await tx.send([listFieldIds(permit)]);
  return fields.find(({ fieldId }) => fieldTarget(key, fieldId) === target)?.fieldId ?? null;
}

/** By what a session or source that was named is found again once its mapping has gone; null for the other scopes. */
export async function macOfNamed(
  services: Services,
  { tenant, workspace }: Principal,
  { subject }: KnownSubject,
  scope: NarrowScope,
  named: string,
): Promise<Uint8Array | null> {
  if (scope !== "session" && scope !== "source") return null;
  const key = await services.keyring.ledger.key(tenant);
  const items = scope === "session" ? { sessions: [named] } : { sources: [named] };
  const [mac = ""] = itemMacs(key, { subject, workspace }, items);
  return Buffer.from(mac, "base64");
}
