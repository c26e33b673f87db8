import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Reach } from "./reach-delete.js";
import type { Removed } from "./subject-end.js";

/** Packs of runs that go. Others stay as references without text, and aren't valid any more. */
export function deletePacks(permit: Permit, { runs, session }: Reach): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  return sql<Removed>`
    with removed as (
      delete from muniment.pack
      where tenant_id = ${tenant} and subject_id = ${subject} and (run_id = any(${runs}::uuid[]) or session_id = ${session}::uuid)
      returning pack_id
    )
    select count(*) as removed from removed`;
}

/** Jobs about a session that goes. */
export function deleteWork(permit: Permit, { session }: Reach): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  return sql<Removed>`
    with removed as (
      delete from muniment.work where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session}::uuid
      returning work_id
    )
    select count(*) as removed from removed`;
}

/** A session's active run that goes isn't its active one any more. */
export function deactivateRuns(permit: Permit, { runs }: Reach): Statement {
  const { tenant, subject } = subjectScope(permit);
  return sql`
    update muniment.session set active_run_id = null
    where tenant_id = ${tenant} and subject_id = ${subject} and active_run_id = any(${runs}::uuid[])`;
}

export function deleteRuns(permit: Permit, { runs }: Reach): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  return sql<Removed>`
    with removed as (
      delete from muniment.run where tenant_id = ${tenant} and subject_id = ${subject} and run_id = any(${runs}::uuid[])
      returning run_id
    )
    select count(*) as removed from removed`;
}

export function deleteSession(permit: Permit, { session }: Reach): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  return sql<Removed>`
    with removed as (
      delete from muniment.session where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session}::uuid
      returning session_id
    )
    select count(*) as removed from removed`;
}

/** External ids that name nothing any more: of the session, and of sources and people without a turn or an event. Behind both. */
export function deleteNames(permit: Permit, { session }: Reach): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  return sql<Removed>`
    with removed as (
      delete from muniment.external_id x
      where x.tenant_id = ${tenant} and x.subject_id = ${subject}
        and ((x.kind = 'session' and x.internal_id = ${session}::uuid)
          or (x.kind = 'source' and not exists (
            select 1 from muniment.turn t
            where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.source_id = x.internal_id) and not exists (
            select 1 from muniment.event v
            where v.tenant_id = ${tenant} and v.subject_id = ${subject} and v.source_id = x.internal_id))
          or (x.kind = 'speaker' and not exists (
            select 1 from muniment.turn t
            where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.speaker_id = x.internal_id) and not exists (
            select 1 from muniment.event v
            where v.tenant_id = ${tenant} and v.subject_id = ${subject} and x.internal_id in (v.speaker_id, v.observer_id))))
      returning x.internal_id
    )
    select count(*) as removed from removed`;
}

/** Indexes in every process are dropped, and packs from before aren't valid any more. Under the lock. */
export function purgeSubject(permit: Permit): Statement {
  const { tenant, subject } = subjectScope(permit);
  return sql`
    update muniment.subject set revision = revision + 1, purge_revision = purge_revision + 1
    where tenant_id = ${tenant} and subject_id = ${subject} and state = 'active'`;
}

/** Nothing of the subject was forgotten since it was read. Behind a statement that waits for the subject's row. */
export function requireUnpurged(permit: Permit, purgeRevision: number): Statement {
  const { tenant, subject } = subjectScope(permit);
  return sql`
    with same as (
      select subject_id from muniment.subject
      where tenant_id = ${tenant} and subject_id = ${subject} and purge_revision = ${purgeRevision}
    )
    select muniment.require(exists (select 1 from same), 'purged_meanwhile')`;
}

/** The text that stands instead of a corrected one, under the revision that the purge before it gave the subject. */
export function correctTurn(
  permit: Permit,
  turn: {
    readonly turnId: string;
    readonly contentSealed: Uint8Array;
    readonly termsSealed: Uint8Array;
  },
): Statement {
  const { tenant, subject } = subjectScope(permit);
  return sql`
    update muniment.turn t
    set content_sealed = ${turn.contentSealed}, terms_sealed = ${turn.termsSealed}, revision = u.revision
    from muniment.subject u
    where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.turn_id = ${turn.turnId}::uuid
      and u.tenant_id = t.tenant_id and u.subject_id = t.subject_id`;
}
