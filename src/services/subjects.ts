import { uuidv7 } from "uuidv7";
import type { KeyId, SubjectId, WorkspaceId } from "../domain/ids.js";
import type { Place, SubjectKey } from "../domain/keyring.js";
import type { Principal } from "../domain/principal.js";
import type { ExternalKind, NewExternalId } from "../storage/queries/external-id-insert.js";
import { findSessionByLookup, type SessionRow } from "../storage/queries/session-find.js";
import { findSubjectByLookup, type SubjectRow } from "../storage/queries/subject-find-by-lookup.js";
import { orAlarm } from "./integrity.js";
import type { Services } from "./services.js";

/** A live subject with its key at hand. Made anew for each request: custody alone decides how long a key stays in memory. */
export interface KnownSubject {
  readonly subject: SubjectId;
  readonly keyId: KeyId;
  readonly key: SubjectKey;
}

/** The live subject behind an external id of the caller's tenant, or null. */
export async function findSubject(
  services: Services,
  principal: Principal,
  externalId: string,
): Promise<KnownSubject | null> {
  const { tenant } = principal;
  const lookup = (await services.keyring.tenantKey(tenant)).mac("subject", externalId);
  const cacheKey = `${tenant}/${Buffer.from(lookup).toString("base64")}`;
  const known = services.caches.subjects.get(cacheKey);
  const row = known ?? (await readSubjectRow(services, principal, lookup));
  if (row === undefined) return null;
  const key = await services.keyring.subjectKey(tenant, row.subjectId, row.keyId);
  if (key === null) return null;
  if (
    known === undefined &&
    !isMapping(services, key, "subject", lookup, row.subjectId, row.sealed)
  )
    return null;
  services.caches.subjects.set(cacheKey, row);
  return { subject: row.subjectId, keyId: row.keyId, key };
}

async function readSubjectRow(
  services: Services,
  principal: Principal,
  lookup: Uint8Array,
): Promise<SubjectRow | undefined> {
  const permit = services.policy.resolvePermit(principal, services.clock.now());
  const [[row]] = await services.store.transact(permit, (tx) =>
    tx.commit([findSubjectByLookup(permit, lookup)]),
  );
  return row;
}

export function forgetSubject(services: Services, principal: Principal, subject: SubjectId): void {
  for (const [cacheKey, known] of services.caches.subjects.entries()) {
    if (known.subjectId === subject) services.caches.subjects.delete(cacheKey);
  }
  const { sessions, speakers } = services.caches;
  for (const cache of [sessions, speakers]) {
    for (const cacheKey of cache.keys()) {
      if (cacheKey.startsWith(`${principal.tenant}/${subject}/`)) cache.delete(cacheKey);
    }
  }
  services.indexes.drop(principal.tenant, subject);
}

/** The session of a subject behind an external id of the caller's workspace, or null. Its active run may be out of date. */
export async function findSession(
  services: Services,
  principal: Principal,
  subject: KnownSubject,
  externalId: string,
): Promise<SessionRow | null> {
  const lookup = externalLookup(subject.key, principal.workspace, "session", externalId);
  const cacheKey = `${principal.tenant}/${subject.subject}/${Buffer.from(lookup).toString("base64")}`;
  const known = services.caches.sessions.get(cacheKey);
  if (known) return known;
  const permit = services.policy.resolvePermit(principal, services.clock.now());
  const [[row]] = await services.store.transact(permit, (tx) =>
    tx.commit([findSessionByLookup(permit, subject.subject, lookup)]),
  );
  if (
    row === undefined ||
    !isMapping(services, subject.key, "session", lookup, row.sessionId, row.sealed)
  )
    return null;
  if (row.activeRunId !== null) services.caches.sessions.set(cacheKey, row);
  return row;
}

/** A mapping is believed only where its sealed id opens in its place: else it leads to somebody else. */
function isMapping(
  services: Services,
  key: SubjectKey,
  kind: ExternalKind,
  lookup: Uint8Array,
  internalId: string,
  sealed: Uint8Array,
): boolean {
  return (
    orAlarm(services.onAlarm, () => key.open(externalPlace(kind, lookup, internalId), sealed)) !==
    null
  );
}

/**
 * By what an id of a subject is found. A session or source belongs to its workspace: the same id in another one is another
 * one's, and nobody notices it there. A speaker is the same person everywhere.
 */
export function externalLookup(
  key: SubjectKey,
  workspace: WorkspaceId,
  kind: Exclude<ExternalKind, "subject">,
  externalId: string,
): Uint8Array {
  return key.mac(kind, kind === "speaker" ? externalId : withinWorkspace(workspace, externalId));
}

/** Unambiguous: the id of a workspace is ours, and has no slash. */
export function withinWorkspace(workspace: WorkspaceId, externalId: string): string {
  return `${workspace}/${externalId}`;
}

/** Bound to the internal id that it stands for: a mapping that was moved to another one doesn't open. */
export function externalPlace(kind: ExternalKind, lookup: Uint8Array, internalId: string): Place {
  return {
    table: "external_id",
    column: "sealed",
    row: `${kind}/${Buffer.from(lookup).toString("hex")}`,
    within: internalId,
    version: 1,
  };
}

/** What is kept of a speaker's or source's external id, found again by its look-up. */
export function sealExternalId(
  { subject, key }: Pick<KnownSubject, "subject" | "key">,
  kind: "speaker" | "source",
  lookup: Uint8Array,
  externalId: string,
): NewExternalId {
  const internalId = uuidv7();
  const sealed = key.seal(externalPlace(kind, lookup, internalId), externalId);
  return { kind, lookup, subject, internalId, sealed };
}
