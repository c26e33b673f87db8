import type { ErasureId, RunId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { KnowingRun } from "./run-list-knowing.js";

/** What went with something of a subject that lives on. Ids of ours alone. */
export interface ErasedReach {
  /** Turns, events, observations, episodes and proposals. */
  readonly ids: readonly string[];
  /** Runs of which went what they wrote from when they knew. */
  readonly knowing: readonly KnowingRun[];
  /** True where a session or run goes on without what was forgotten of it. */
  readonly goesOn: boolean;
}

/** The same as a document, where times are text. */
export interface ReachDocument extends Pick<ErasedReach, "ids" | "goesOn"> {
  readonly knowing: readonly { readonly runId: RunId; readonly since: string }[];
}

/** As the transaction that removed it wrote it down. */
export function readReached(
  permit: Permit,
  erasureId: ErasureId,
): Statement<{ readonly reached: ReachDocument | null }> {
  const { tenant, subject } = subjectScope(permit);
  return sql`
    select reached from muniment.erasure
    where tenant_id = ${tenant} and subject_id = ${subject} and erasure_id = ${erasureId}
    order by erasure_id
    limit 1`;
}
