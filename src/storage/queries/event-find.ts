import type { EventKind } from "../../domain/event.js";
import type { EventId, WorkspaceId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

/** A revision of a source's record that is there already. */
export interface HeldRevision {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly eventId: EventId;
  readonly sourceLookup: Uint8Array;
  readonly sourceRevision: number;
  readonly contentMac: Uint8Array;
}

/** Which of these revisions are there, whether their clocks run or not. Under the subject's lock. */
export function findHeldRevisions(
  permit: Permit,
  wanted: readonly { readonly sourceLookup: Uint8Array; readonly sourceRevision: number }[],
): Statement<HeldRevision> {
  const { tenant, subject } = subjectScope(permit);
  const lookups = wanted.map(({ sourceLookup }) => sourceLookup);
  const revisions = wanted.map(({ sourceRevision }) => sourceRevision);
  return rechecked(
    { subject: true },
    sql<HeldRevision>`
      select e.tenant_id as "tenantId", e.subject_id as "subjectId", e.event_id as "eventId", x.lookup as "sourceLookup",
        e.source_revision as "sourceRevision", e.content_mac as "contentMac"
      from unnest(${lookups}::bytea[], ${revisions}::bigint[]) as n (lookup, revision)
      join muniment.external_id x
        on x.tenant_id = ${tenant} and x.kind = 'source' and x.lookup = n.lookup and x.subject_id = ${subject}
      join lateral (
        select v.tenant_id, v.subject_id, v.event_id, v.source_revision, v.content_mac from muniment.event v
        where v.tenant_id = x.tenant_id and v.subject_id = x.subject_id and v.source_id = x.internal_id
          and v.source_revision = n.revision limit 1) e on true
      order by e.event_id
      limit ${wanted.length}`,
  );
}

/** How many records the subject has in the permit's workspace, and which of these are among them. Under the subject's lock. */
export function countRecords(
  permit: Permit,
  lookups: readonly Uint8Array[],
): Statement<{ readonly records: number; readonly known: readonly Uint8Array[] }> {
  const { tenant, subject, workspace } = subjectScope(permit);
  return sql<{ readonly records: number; readonly known: readonly Uint8Array[] }>`
    select
      (select count(distinct e.source_id)::integer from muniment.event e
        where e.tenant_id = ${tenant} and e.subject_id = ${subject} and e.workspace_id = ${workspace}) as records,
      array(
        select x.lookup from muniment.external_id x
        where x.tenant_id = ${tenant} and x.kind = 'source' and x.lookup = any(${lookups}::bytea[]) and x.subject_id = ${subject}
          and exists (
            select 1 from muniment.event e
            where e.tenant_id = x.tenant_id and e.subject_id = x.subject_id and e.source_id = x.internal_id)
        order by x.lookup
        limit ${lookups.length}) as known
    order by records
    limit 1`;
}

/** A row with all that its seal and its names hang on. */
export interface EventRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly workspaceId: WorkspaceId;
  readonly eventId: EventId;
  readonly recordId: string;
  readonly sourceRevision: number;
  readonly kind: EventKind;
  readonly isWithdrawn: boolean;
  readonly effectiveAt: Date;
  readonly recordedAt: Date;
  readonly expiresAt: Date | null;
  readonly bodySealed: Uint8Array;
}

/**
 * The newest revision of each record of the permit's subject in its workspace, where its clock runs. One walk along the
 * record's own index, however many revisions a record has and whatever the server thinks how many there are.
 */
export function listNewestEvents(permit: Permit, limit: number): Statement<EventRow> {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  return rechecked(
    { subject: true, workspace: true },
    sql<EventRow>`
      select n."tenantId", n."subjectId", n."workspaceId", n."eventId", n."recordId", n."sourceRevision", n.kind, n."isWithdrawn",
        n."effectiveAt", n."recordedAt", n."expiresAt", n."bodySealed"
      from (
        select distinct on (e.source_id) e.tenant_id as "tenantId", e.subject_id as "subjectId", e.workspace_id as "workspaceId",
          e.event_id as "eventId", e.source_id as "recordId", e.source_revision as "sourceRevision", e.kind,
          e.is_withdrawn as "isWithdrawn", e.effective_at as "effectiveAt", e.recorded_at as "recordedAt",
          e.expires_at as "expiresAt", e.body_sealed as "bodySealed"
        from muniment.event e
        where e.tenant_id = ${tenant} and e.subject_id = ${subject}
        order by e.source_id desc, e.source_revision desc) n
      where n."workspaceId" = ${workspace} and (n."expiresAt" is null or n."expiresAt" > ${now})
        and exists (
          select 1 from muniment.subject u
          where u.tenant_id = ${tenant} and u.subject_id = ${subject} and u.state = 'active' and u.key_id = ${keyId})
      order by n."eventId"
      limit ${limit}`,
  );
}

export interface ListedEvent extends EventRow {
  readonly revision: number;
  readonly isCurrent: boolean;
  readonly sourceLookup: Uint8Array | null;
  readonly sourceSealed: Uint8Array | null;
  readonly speakerId: string | null;
  readonly speakerLookup: Uint8Array | null;
  readonly speakerSealed: Uint8Array | null;
  readonly observerId: string | null;
  readonly observerLookup: Uint8Array | null;
  readonly observerSealed: Uint8Array | null;
}

/** Events of the permit's subject in its workspace, as they were recorded, newest first. */
export function listEvents(
  permit: Permit,
  filter: {
    readonly keyMac: Uint8Array | null;
    readonly before: { readonly revision: number; readonly eventId: string } | null;
    readonly limit: number;
  },
): Statement<ListedEvent> {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  const { revision = null, eventId = null } = filter.before ?? {};
  return rechecked(
    { subject: true, workspace: true },
    sql<ListedEvent>`
      select e.tenant_id as "tenantId", e.subject_id as "subjectId", e.workspace_id as "workspaceId", e.event_id as "eventId",
        e.source_id as "recordId", e.source_revision as "sourceRevision", e.kind, e.is_withdrawn as "isWithdrawn",
        e.effective_at as "effectiveAt", e.recorded_at as "recordedAt", e.expires_at as "expiresAt", e.body_sealed as "bodySealed",
        e.revision, e.speaker_id as "speakerId", e.observer_id as "observerId",
        not exists (
          select 1 from muniment.event later
          where later.tenant_id = ${tenant} and later.subject_id = ${subject} and later.source_id = e.source_id
            and later.source_revision > e.source_revision) as "isCurrent",
        o.lookup as "sourceLookup", o.sealed as "sourceSealed", p.lookup as "speakerLookup", p.sealed as "speakerSealed",
        b.lookup as "observerLookup", b.sealed as "observerSealed"
      from muniment.event e
      join muniment.subject u on u.tenant_id = e.tenant_id and u.subject_id = e.subject_id
      left join lateral (
        select n.lookup, n.sealed from muniment.external_id n
        where n.tenant_id = e.tenant_id and n.subject_id = e.subject_id and n.internal_id = e.source_id limit 1) o on true
      left join lateral (
        select n.lookup, n.sealed from muniment.external_id n
        where n.tenant_id = e.tenant_id and n.subject_id = e.subject_id and n.internal_id = e.speaker_id limit 1) p on true
      left join lateral (
        select n.lookup, n.sealed from muniment.external_id n
        where n.tenant_id = e.tenant_id and n.subject_id = e.subject_id and n.internal_id = e.observer_id limit 1) b on true
      where e.tenant_id = ${tenant} and e.subject_id = ${subject} and e.workspace_id = ${workspace}
        and u.state = 'active' and u.key_id = ${keyId}
        and (e.expires_at is null or e.expires_at > ${now})
        and e.revision > 0 and (${filter.keyMac}::bytea is null or e.key_mac = ${filter.keyMac}::bytea)
        and (${revision}::bigint is null or (e.revision, e.event_id) < (${revision}::bigint, ${eventId}::uuid))
      order by e.revision desc, e.event_id desc
      limit ${filter.limit}`,
  );
}
