import type { FieldId, PrincipalRef, PromotionId } from "../../domain/ids.js";
import type { Origin } from "../../domain/origin.js";
import type { Permit } from "../../domain/permit.js";
import type { PrincipalKind } from "../../domain/principal.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Seen } from "./candidate-decide.js";

export interface NewPromotion extends Seen {
  readonly promotionId: PromotionId;
  readonly fieldId: FieldId;
  readonly definitionVersion: number;
  readonly sessionKey: string;
  readonly origin: Origin;
  readonly path: "human" | "evaluator" | "reconcile";
  /** What let the value through: a criterion, a review, a click, the name of a reconcile job. */
  readonly rule: string;
  readonly actor: {
    readonly ref: PrincipalRef;
    readonly kind: PrincipalKind;
    readonly sealed: Uint8Array;
  };
  /** Who approved first, where two have to; null where the candidate must have no approval. */
  readonly approver: PrincipalRef | null;
  readonly reverts: PromotionId | null;
  /** Version of the value that the caller saw last, 0 for none; null where it doesn't mind. */
  readonly expectedVersion: number | null;
  /** End of a session key; null for a customer key. */
  readonly expiresAt: Date | null;
}

/**
 * Decides for a candidate: the log's row, and the value as it was sealed when it was proposed. One statement, so that there
 * is neither without the other. Fails with `candidate_changed`, `definition_changed`, `version_conflict`, `subject_gone`.
 */
export function promoteCandidate(permit: Permit, promotion: NewPromotion): Statement {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  const { candidateId, fieldId, sessionKey, actor, expectedVersion } = promotion;
  const { policyIds, policySetHash } = permit.decision;
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    ), decided as (
      update muniment.candidate set state = 'promoted', decided_ref = ${actor.ref}, decided_at = ${now}
      where tenant_id = ${tenant} and subject_id = ${subject} and workspace_id = ${workspace} and candidate_id = ${candidateId}
        and field_id = ${fieldId} and session_key = ${sessionKey} and definition_version = ${promotion.definitionVersion}
        and origin = ${promotion.origin} and value_hash = ${promotion.valueHash} and state in ('open', 'quarantined')
        and approver_ref is not distinct from ${promotion.approver}::uuid and expires_at > ${now} and exists (select 1 from live)
      returning value_sealed, removed, run_id
    ), standing as (
      select version, new_hash from muniment.promotion
      where tenant_id = ${tenant} and subject_id = ${subject} and workspace_id = ${workspace} and field_id = ${fieldId}
        and session_key = ${sessionKey}
      order by version desc limit 1
    ), logged as (
      insert into muniment.promotion
        (tenant_id, subject_id, promotion_id, workspace_id, field_id, definition_version, session_key, version, old_version,
         old_hash, new_hash, path, rule, source, candidate_id, reverts, actor_ref, actor_kind, actor_sealed, approver_ref, run_id,
         policy_ids, policy_set, recorded_at, revision)
      select ${tenant}::uuid, ${subject}::uuid, ${promotion.promotionId}::uuid, ${workspace}::uuid, ${fieldId}::text,
        ${promotion.definitionVersion}::integer, ${sessionKey}::uuid, 1 + coalesce((select version from standing), 0),
        (select version from standing), (select new_hash from standing), ${promotion.valueHash}::bytea, ${promotion.path}::text,
        ${promotion.rule}::text, ${promotion.origin}::text, ${candidateId}::uuid, ${promotion.reverts}::uuid, ${actor.ref}::uuid,
        ${actor.kind}::text, ${actor.sealed}::bytea, ${promotion.approver}::uuid, d.run_id, ${policyIds}::text[],
        ${policySetHash}::text, ${now}::timestamptz, (select revision from live)
      from decided d
      where ${expectedVersion}::integer is null or coalesce((select version from standing), 0) = ${expectedVersion}::integer
      on conflict do nothing
      returning version
    ), written as (
      insert into muniment.field_value
        (tenant_id, subject_id, workspace_id, field_id, session_key, version, promotion_id, candidate_id, definition_version,
         value_sealed, value_hash, removed, source, run_id, updated_at, expires_at)
      select ${tenant}::uuid, ${subject}::uuid, ${workspace}::uuid, ${fieldId}::text, ${sessionKey}::uuid, l.version,
        ${promotion.promotionId}::uuid, ${candidateId}::uuid, ${promotion.definitionVersion}::integer, d.value_sealed,
        ${promotion.valueHash}::bytea, d.removed, ${promotion.origin}::text, d.run_id, ${now}::timestamptz,
        ${promotion.expiresAt}::timestamptz
      from decided d, logged l
      returning version
    )
    select muniment.require(exists (select 1 from live), 'subject_gone'),
      muniment.require(exists (select 1 from decided), 'candidate_changed'),
      muniment.require(not exists (
        select 1 from muniment.field f
        where f.tenant_id = ${tenant} and f.field_id = ${fieldId} and f.version > ${promotion.definitionVersion}::integer
      ), 'definition_changed'),
      muniment.require(exists (select 1 from written), 'version_conflict')`;
}
