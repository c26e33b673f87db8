import type {
  CandidateId,
  FieldId,
  KeyId,
  PromotionId,
  SubjectId,
  WorkspaceId,
} from "../../domain/ids.js";
import type { Origin } from "../../domain/origin.js";
import type { Permit } from "../../domain/permit.js";
import type { PrincipalKind } from "../../domain/principal.js";
import { subjectScope, tenantScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

/** Whom and which value a promotion is about, with the value that stood before it. */
export interface PromotionRow {
  readonly subjectId: SubjectId;
  readonly workspaceId: WorkspaceId;
  readonly keyId: KeyId;
  readonly promotionId: PromotionId;
  readonly fieldId: FieldId;
  readonly sessionKey: string;
  readonly version: number;
  readonly oldVersion: number | null;
}

/** A promotion by its id, in the caller's tenant. */
export function findPromotion(
  permit: Permit<"resolve">,
  promotion: PromotionId,
): Statement<PromotionRow> {
  const { tenant } = tenantScope(permit);
  return sql<PromotionRow>`
    select p.subject_id as "subjectId", p.workspace_id as "workspaceId", u.key_id as "keyId", p.promotion_id as "promotionId",
      p.field_id as "fieldId", p.session_key as "sessionKey", p.version, p.old_version as "oldVersion"
    from muniment.promotion p
    join muniment.subject u on u.tenant_id = p.tenant_id and u.subject_id = p.subject_id
    where p.tenant_id = ${tenant} and p.promotion_id = ${promotion} and u.state = 'active'
    order by p.promotion_id
    limit 1`;
}

export interface PromotionLogRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly workspaceId: WorkspaceId;
  readonly promotionId: PromotionId;
  readonly candidateId: CandidateId;
  readonly fieldId: FieldId;
  readonly definitionVersion: number;
  readonly sessionKey: string;
  readonly version: number;
  readonly oldVersion: number | null;
  readonly oldHash: Uint8Array | null;
  readonly newHash: Uint8Array;
  readonly path: "human" | "evaluator" | "reconcile";
  readonly rule: string;
  readonly source: Origin;
  readonly reverts: PromotionId | null;
  readonly actorRef: string;
  readonly actorKind: PrincipalKind;
  readonly actorSealed: Uint8Array;
  readonly approverRef: string | null;
  readonly runId: string | null;
  readonly policyIds: readonly string[];
  readonly policySet: string;
  readonly recordedAt: Date;
  /** The subject's, when it was written: the log's order. */
  readonly revision: number;
}

/** The log of the permit's subject, newest first. */
export function listPromotions(
  permit: Permit,
  filter: {
    readonly fieldId: string | null;
    readonly before: number | null;
    readonly limit: number;
  },
): Statement<PromotionLogRow> {
  const { tenant, subject, keyId, workspace } = subjectScope(permit);
  return rechecked(
    { subject: true, workspace: true },
    sql<PromotionLogRow>`
      select p.tenant_id as "tenantId", p.subject_id as "subjectId", p.workspace_id as "workspaceId",
        p.promotion_id as "promotionId", p.candidate_id as "candidateId", p.field_id as "fieldId",
        p.definition_version as "definitionVersion", p.session_key as "sessionKey", p.version, p.old_version as "oldVersion",
        p.old_hash as "oldHash", p.new_hash as "newHash", p.path, p.rule, p.source, p.reverts, p.actor_ref as "actorRef",
        p.actor_kind as "actorKind", p.actor_sealed as "actorSealed", p.approver_ref as "approverRef", p.run_id as "runId",
        p.policy_ids as "policyIds", p.policy_set as "policySet", p.recorded_at as "recordedAt", p.revision
      from muniment.promotion p
      join muniment.subject u on u.tenant_id = p.tenant_id and u.subject_id = p.subject_id
      where p.tenant_id = ${tenant} and p.subject_id = ${subject} and p.workspace_id = ${workspace}
        and p.revision >= 0
        and (${filter.fieldId}::text is null or p.field_id = ${filter.fieldId}::text)
        and (${filter.before}::bigint is null or p.revision < ${filter.before}::bigint)
        and u.state = 'active' and u.key_id = ${keyId}
      order by p.revision desc
      limit ${filter.limit}`,
  );
}
