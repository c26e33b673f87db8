import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { SegmentRow } from "./segment-list.js";

export interface NewSegment extends Omit<SegmentRow, "tenantId" | "subjectId"> {
  readonly turns: number;
  /** When the first of its turns stops being evidence: then the segment goes. */
  readonly evidenceUntil: Date;
}

/** A stretch of revisions that is to be sealed, as it was read. */
export interface Unsealed {
  readonly analyser: number;
  readonly purgeRevision: number;
  readonly afterRevision: number;
}

/** Holds the subject's row until the end of the transaction: who seals comes one after the other. */
export function lockMemory(permit: Permit, purgeRevision: number): Statement {
  const { tenant, subject, keyId } = subjectScope(permit);
  return sql`
    with live as (
      select subject_id from muniment.subject
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
        and purge_revision = ${purgeRevision}
      for no key update
    )
    select muniment.require(exists (select 1 from live), 'subject_gone')`;
}

/** Under the lock, and as a statement of its own: one that waited for the lock would look at what was there before. */
export function requireUnsealed(permit: Permit, unsealed: Unsealed): Statement {
  const { tenant, subject } = subjectScope(permit);
  const { analyser, purgeRevision, afterRevision } = unsealed;
  return sql`
    with later as (
      select segment_id from muniment.segment
      where tenant_id = ${tenant} and subject_id = ${subject} and analyser = ${analyser}
        and purge_revision = ${purgeRevision} and upto_revision > ${afterRevision}
    )
    select muniment.require(not exists (select 1 from later), 'sealed_meanwhile')`;
}

export function insertSegment(permit: Permit, segment: NewSegment): Statement {
  const { tenant, subject, now } = subjectScope(permit);
  const { segmentId, analyser, afterRevision, uptoRevision, purgeRevision, turns } = segment;
  return sql`
    insert into muniment.segment
      (tenant_id, subject_id, segment_id, analyser, after_revision, upto_revision, purge_revision, turns, evidence_until,
       recorded_at, sealed)
    values (${tenant}, ${subject}, ${segmentId}, ${analyser}, ${afterRevision}, ${uptoRevision}, ${purgeRevision}, ${turns},
      ${segment.evidenceUntil}, ${now}, ${segment.sealed})`;
}
