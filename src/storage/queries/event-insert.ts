import type { EventKind } from "../../domain/event.js";
import type { EventId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewEvent {
  readonly eventId: EventId;
  readonly sourceLookup: Uint8Array;
  readonly sourceRevision: number;
  readonly kind: EventKind;
  readonly isWithdrawn: boolean;
  readonly keyMac: Uint8Array;
  readonly contentMac: Uint8Array;
  readonly speakerLookup: Uint8Array | null;
  readonly observerLookup: Uint8Array | null;
  readonly effectiveAt: Date;
  readonly expiresAt: Date | null;
  readonly bodySealed: Uint8Array;
}

/**
 * Events of sources and people whose names are kept, and advances the subject. Fails with `subject_gone` or
 * `name_missing`.
 */
export function insertEvents(
  permit: Permit,
  events: readonly NewEvent[],
  names: readonly Uint8Array[],
): Statement {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  const column = <K extends keyof NewEvent>(name: K) => events.map((event) => event[name]);
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    ), named as (
      select lookup, internal_id from muniment.external_id
      where tenant_id = ${tenant} and kind in ('speaker', 'source') and lookup = any(${names}::bytea[]) and subject_id = ${subject}
    ), made as (
      insert into muniment.event
        (tenant_id, subject_id, event_id, workspace_id, source_id, source_revision, kind, is_withdrawn, key_mac, content_mac,
         speaker_id, observer_id, revision, effective_at, recorded_at, expires_at, body_sealed)
      select ${tenant}::uuid, ${subject}::uuid, n.event_id, ${workspace}::uuid, source.internal_id, n.source_revision, n.kind,
        n.is_withdrawn, n.key_mac, n.content_mac, speaker.internal_id, observer.internal_id, live.revision, n.effective_at,
        ${now}::timestamptz, n.expires_at, n.body_sealed
      from live
      cross join unnest(${column("eventId")}::uuid[], ${column("sourceLookup")}::bytea[], ${column("sourceRevision")}::bigint[],
        ${column("kind")}::text[], ${column("isWithdrawn")}::boolean[], ${column("keyMac")}::bytea[],
        ${column("contentMac")}::bytea[], ${column("speakerLookup")}::bytea[], ${column("observerLookup")}::bytea[],
        ${column("effectiveAt")}::timestamptz[], ${column("expiresAt")}::timestamptz[], ${column("bodySealed")}::bytea[])
        as n (event_id, source, source_revision, kind, is_withdrawn, key_mac, content_mac, speaker, observer, effective_at,
          expires_at, body_sealed)
      join named source on source.lookup = n.source
      left join named speaker on speaker.lookup = n.speaker
      left join named observer on observer.lookup = n.observer
      returning event_id
    )
    select muniment.require(exists (select 1 from live), 'subject_gone'),
      muniment.require((select count(*) from named) = ${names.length}::integer, 'name_missing')`;
}
