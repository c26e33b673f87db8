import type { Permit } from "../../domain/permit.js";
import type { NewView } from "../../domain/view.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface SealedView extends NewView {
  readonly bodySealed: Uint8Array;
}

/**
 * Publishes a view where it is still the one that was read (0: there was none). Fails with `view_changed`: a late job overwrites
 * nothing.
 */
export function publishView(permit: Permit, view: SealedView, read: number): Statement {
  const { tenant, subject, workspace, now } = subjectScope(permit);
  return sql`
    with published as (
      insert into muniment.view as v
        (tenant_id, subject_id, workspace_id, view_id, version, revision, depends, computed_at, body_sealed)
      select ${tenant}::uuid, ${subject}::uuid, ${workspace}::uuid, ${view.viewId}::text, ${view.version}::bigint,
        ${view.revision}::bigint, ${view.depends}::uuid[], ${now}::timestamptz, ${view.bodySealed}::bytea
      where ${read}::bigint = 0 or exists (
        select 1 from muniment.view s
        where s.tenant_id = ${tenant} and s.subject_id = ${subject} and s.workspace_id = ${workspace} and s.view_id = ${view.viewId}
          and s.version = ${read}::bigint)
      on conflict (tenant_id, subject_id, workspace_id, view_id) do update
        set version = excluded.version, revision = excluded.revision, depends = excluded.depends,
          computed_at = excluded.computed_at, body_sealed = excluded.body_sealed
        where v.version = ${read}::bigint
      returning view_id
    )
    select muniment.require(exists (select 1 from published), 'view_changed')`;
}
