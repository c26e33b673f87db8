import type { CandidateId, FieldId, WorkspaceId } from "../../domain/ids.js";
import type { Origin } from "../../domain/origin.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

/** One version of a value, as it was sealed when it was proposed. */
export interface ValueVersionRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly workspaceId: WorkspaceId;
  readonly fieldId: FieldId;
  readonly sessionKey: string;
  readonly version: number;
  readonly candidateId: CandidateId;
  readonly definitionVersion: number;
  readonly valueSealed: Uint8Array;
  readonly valueHash: Uint8Array;
  readonly removed: boolean;
  readonly source: Origin;
}

/** A version of a field's value, or the newest where `version` is null. One of an idle chat's key isn't there any more. */
export function findFieldValue(
  permit: Permit,
  wanted: {
    readonly fieldId: FieldId;
    readonly sessionKey: string;
    readonly version: number | null;
  },
): Statement<ValueVersionRow> {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  return rechecked(
    { subject: true, workspace: true },
    sql<ValueVersionRow>`
      select v.tenant_id as "tenantId", v.subject_id as "subjectId", v.workspace_id as "workspaceId", v.field_id as "fieldId",
        v.session_key as "sessionKey", v.version, v.candidate_id as "candidateId", v.definition_version as "definitionVersion",
        v.value_sealed as "valueSealed", v.value_hash as "valueHash", v.removed, v.source
      from muniment.field_value v
      join muniment.subject u on u.tenant_id = v.tenant_id and u.subject_id = v.subject_id
      where v.tenant_id = ${tenant} and v.subject_id = ${subject} and v.workspace_id = ${workspace}
        and v.field_id = ${wanted.fieldId} and v.session_key = ${wanted.sessionKey}
        and (${wanted.version}::integer is null or v.version = ${wanted.version}::integer)
        and (v.expires_at is null or v.expires_at > ${now}) and u.state = 'active' and u.key_id = ${keyId}
      order by v.version desc
      limit 1`,
  );
}
