import type { SegmentId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

/** A sealed segment of the subject's index. What it covers, and under what, is part of the seal's place. */
export interface SegmentRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly segmentId: SegmentId;
  readonly analyser: number;
  /** It holds the turns of later revisions than this one, */
  readonly afterRevision: number;
  /** up to this one. */
  readonly uptoRevision: number;
  readonly purgeRevision: number;
  readonly sealed: Uint8Array;
}

/** The live subject's segments that one version of the analyser made since the last purge, newest first. */
export function listSegments(
  permit: Permit,
  analyser: number,
  limit: number,
): Statement<SegmentRow> {
  const { tenant, subject, keyId } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<SegmentRow>`
      select g.tenant_id as "tenantId", g.subject_id as "subjectId", g.segment_id as "segmentId", g.analyser,
        g.after_revision as "afterRevision", g.upto_revision as "uptoRevision", g.purge_revision as "purgeRevision", g.sealed
      from muniment.segment g
      join muniment.subject u on u.tenant_id = g.tenant_id and u.subject_id = g.subject_id
      where g.tenant_id = ${tenant} and g.subject_id = ${subject} and g.analyser = ${analyser}
        and g.purge_revision = u.purge_revision and u.state = 'active' and u.key_id = ${keyId}
      order by g.upto_revision desc, g.segment_id
      limit ${limit}`,
  );
}
