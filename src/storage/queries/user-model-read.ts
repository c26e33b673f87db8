import { type ObservationId, type RouteId, trustedId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { USER_MODEL } from "../../domain/view.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { ViewRow } from "./view-read.js";

/** A person's model, with those of the observations that it cites that may be shown now, and when each was said. */
export interface UserModelRow extends Omit<ViewRow, "depends"> {
  readonly shown: Readonly<Record<ObservationId, string>>;
}

/** When what may be shown of a model was said. */
export function observedAtOf({
  shown,
}: Pick<UserModelRow, "shown">): ReadonlyMap<ObservationId, Date> {
  return new Map(
    Object.entries(shown).map(([id, at]) => [trustedId<"ObservationId">(id), new Date(at)]),
  );
}

/** The model as far as a run may read the routes that it comes from. */
export function readShownModel(permit: Permit<"assemble">): Statement<UserModelRow> {
  return standing(permit, subjectScope(permit).recallFrom);
}

/** The model of all routes, for who reads the person as a whole. */
export function readWholeModel(permit: Permit<"read_view">): Statement<UserModelRow> {
  return standing(permit, null);
}

/** What it cites is looked at again each time: an observation that ended or went takes its statements along at once. */
function standing(permit: Permit, routes: readonly RouteId[] | null): Statement<UserModelRow> {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  return rechecked(
    { subject: true, workspace: true },
    sql<UserModelRow>`
      select v.tenant_id as "tenantId", v.subject_id as "subjectId", v.workspace_id as "workspaceId", v.view_id as "viewId",
        v.version, v.revision, v.computed_at as "computedAt", v.body_sealed as "bodySealed",
        (
          select coalesce(jsonb_object_agg(o.observation_id, o.observed_at), '{}'::jsonb) from muniment.observation o
          where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.workspace_id = ${workspace}
            and o.observation_id = any(v.depends) and o.expires_at > ${now}
            and (${routes}::text[] is null or o.route_id = any(${routes}::text[]))) as shown
      from muniment.view v
      join muniment.subject u on u.tenant_id = v.tenant_id and u.subject_id = v.subject_id
      where v.tenant_id = ${tenant} and v.subject_id = ${subject} and v.workspace_id = ${workspace} and v.view_id = ${USER_MODEL}
        and u.state = 'active' and u.key_id = ${keyId}
      order by v.view_id
      limit 1`,
  );
}
