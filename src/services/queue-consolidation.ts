import { uuidv7 } from "uuidv7";
import type { Permit } from "../domain/permit.js";
import { insertConsolidation, type ModelOf } from "../storage/queries/consolidation-insert.js";
import { sendWork } from "../storage/queries/work-insert.js";
import { subjectScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";

/** Queues the consolidation of what was observed of a person, once for all that waits. Behind the observations, in their transaction. */
export function queueConsolidation(permit: Permit, of: ModelOf): readonly Statement[] {
  const workId = uuidv7();
  return [insertConsolidation(permit, workId, of), sendWork(permit, workId)];
}

/** The model that a permit of one subject is about. */
export function modelIn(permit: Permit): ModelOf {
  const { subject, workspace } = subjectScope(permit);
  return { subjectId: subject, workspaceId: workspace };
}
