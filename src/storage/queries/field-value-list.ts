import type { FieldDefinition } from "../../domain/field.js";
import type { CandidateId, FieldId, PromotionId, RunId, WorkspaceId } from "../../domain/ids.js";
import type { Origin } from "../../domain/origin.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface FieldValueRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly workspaceId: WorkspaceId;
  readonly fieldId: FieldId;
  readonly sessionKey: string;
  readonly version: number;
  readonly promotionId: PromotionId;
  readonly candidateId: CandidateId;
  readonly definitionVersion: number;
  readonly valueSealed: Uint8Array;
  readonly valueHash: Uint8Array;
  readonly removed: boolean;
  readonly source: Origin;
  readonly path: "human" | "evaluator" | "reconcile";
  readonly rule: string;
  readonly actorSealed: Uint8Array;
  readonly runId: RunId | null;
  readonly updatedAt: Date;
  /** Of a session key; a customer key ends with the calendar. */
  readonly expiresAt: Date;
  /** As the field is defined today. */
  readonly definition: FieldDefinition;
}

export interface ValuesWanted {
  /** Fields by their names; null for all of them. */
  readonly fields: readonly string[] | null;
  /** Sessions whose keys are wanted, customer keys as `CUSTOMER_KEY`; null for all of them. */
  readonly sessionKeys: readonly string[] | null;
  readonly limit: number;
}

/** What stands in the store about the permit's subject now, removals as such, with each field's latest definition. */
export function listFieldValues(permit: Permit, wanted: ValuesWanted): Statement<FieldValueRow> {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  return rechecked(
    { subject: true, workspace: true, expiry: true },
    sql<FieldValueRow>`
      select distinct on (v.field_id, v.session_key) v.tenant_id as "tenantId", v.subject_id as "subjectId",
        v.workspace_id as "workspaceId", v.field_id as "fieldId", v.session_key as "sessionKey", v.version,
        v.promotion_id as "promotionId", v.candidate_id as "candidateId", v.definition_version as "definitionVersion",
        v.value_sealed as "valueSealed", v.value_hash as "valueHash", v.removed, v.source, p.path, p.rule,
        p.actor_sealed as "actorSealed", v.run_id as "runId", v.updated_at as "updatedAt",
        coalesce(v.expires_at, timestamptz '9999-12-31 23:59:59+00') as "expiresAt", f.definition
      from muniment.field_value v
      join muniment.subject u on u.tenant_id = v.tenant_id and u.subject_id = v.subject_id
      join muniment.promotion p
        on p.tenant_id = v.tenant_id and p.subject_id = v.subject_id and p.promotion_id = v.promotion_id
      join muniment.field f on f.tenant_id = v.tenant_id and f.field_id = v.field_id
      where v.tenant_id = ${tenant} and v.subject_id = ${subject} and v.workspace_id = ${workspace}
        and (${wanted.fields}::text[] is null or v.field_id = any(${wanted.fields}::text[]))
        and (${wanted.sessionKeys}::uuid[] is null or v.session_key = any(${wanted.sessionKeys}::uuid[]))
        and (v.expires_at is null or v.expires_at > ${now}) and u.state = 'active' and u.key_id = ${keyId}
      order by v.field_id, v.session_key, v.version desc, f.version desc
      limit ${wanted.limit}`,
  );
}
