import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { inTable, type Statement, sql } from "../sql.js";

export interface Removed {
  readonly removed: number;
}

/**
 * Everything of a subject, in an order in which no row is left that points to one that has gone. INVARIANT: every table
 * with a subject stands here or among those that keep their rows (`domain/erased-stores.ts`); a test compares both with
 * the catalogue.
 */
export const SUBJECT_TABLES = [
  "vector",
  "segment",
  "view",
  "observation",
  "episode",
  "escalation",
  "trace",
  "working",
  "checkpoint",
  "pack",
  "field_value",
  "candidate",
  "turn",
  "event",
  "work",
  "run",
  "session",
  "external_id",
  "idempotency",
] as const;
export type SubjectTable = (typeof SUBJECT_TABLES)[number];

/**
 * Waits for every write of the subject that is under way, and holds off those that come: each advances the subject's row
 * or shares its key. In a statement of its own, so that the next ones see what was waited for.
 */
export function lockSubject(permit: Permit): Statement {
  const { tenant, subject } = subjectScope(permit);
  return sql`
    with held as (
      select subject_id from muniment.subject
      where tenant_id = ${tenant} and subject_id = ${subject}
      for update
    )
    select count(*) from held`;
}

/** Ends the subject for good, under whatever key. One that has ended stays as it is. */
export function endSubject(permit: Permit): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  return sql<Removed>`
    with ended as (
      update muniment.subject
      set state = 'ended', revision = revision + 1, purge_revision = purge_revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and state = 'active'
      returning subject_id
    )
    select count(*) as removed from ended`;
}

/** Removes all that one table holds of the subject. */
export function deleteOfSubject(permit: Permit, table: SubjectTable): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  const fromTurn = sql<Removed>`
    with removed as (
      delete from muniment.turn where tenant_id = ${tenant} and subject_id = ${subject}
      returning subject_id
    )
    select count(*) as removed from removed`;
  return inTable(fromTurn, "turn", table);
}
