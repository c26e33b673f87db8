import { notFound } from "../domain/errors.js";
import { isUuid } from "../domain/ids.js";
import { sendWork } from "../storage/queries/work-insert.js";
import { listWork as list, reviveWork, type WorkRow } from "../storage/queries/work-list.js";
import type { Caller } from "./caller.js";
import { makeCursor, readCursor } from "./cursor.js";
import { govern } from "./govern.js";
import { workInput } from "./inputs/episode.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";

export interface WorkReply {
  readonly work_id: string;
  readonly kind: string;
  readonly state: WorkRow["state"];
  readonly attempts: number;
  /** Why it was put back or parked: the kind of refusal, and the field of the digest where one is wrong. */
  readonly problem: string | null;
  readonly subject_id: string;
  readonly session_id: string | null;
  readonly created_at: string;
  readonly changed_at: string;
}

export interface ListWorkReply {
  readonly work: readonly WorkReply[];
  readonly cursor: string | null;
  readonly decision: DecisionReply;
}

/** Jobs of the tenant, newest first. Internal ids alone. */
export function listWork(
  services: Services,
  caller: Caller,
  query: unknown,
): Promise<ListWorkReply> {
  return govern(services, caller, "list_work", async (op) => {
    const { state, limit, cursor } = parseInput(workInput, query);
    const permit = op.permit({ type: "tenant" }, {});
    const key = await services.keyring.tenantKey(caller.principal.tenant);
    const asked = ["list_work", state ?? null];
    const before = readCursor(key, caller.principal, asked, cursor);
    const rows = await services.store.transact(permit, async (tx) => {
      const [found] = await tx.send([list(permit, { state: state ?? null, before, limit })]);
      const ids = found.map(({ workId }) => workId);
      await tx.commit([op.audit(permit, { reads: [{ kind: "work", ids }] })]);
      return found;
    });
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      work: rows.map(toReply),
      cursor: last === undefined ? null : makeCursor(key, caller.principal, asked, last.workId),
      decision: op.decision(),
    };
  });
}

export interface RetryWorkReply {
  readonly work_id: string;
  readonly state: "queued";
  readonly decision: DecisionReply;
}

/** Gives a parked job another round of tries, once somebody has dealt with what parked it. */
export function retryWork(
  services: Services,
  caller: Caller,
  workId: string,
): Promise<RetryWorkReply> {
  return govern(services, caller, "retry_work", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    if (!isUuid(workId)) throw notFound();
    await services.store.transact(permit, (tx) =>
      tx.commit([
        reviveWork(permit, workId),
        sendWork(permit, workId),
        op.audit(permit, { writes: [{ kind: "work", ids: [workId] }] }),
      ]),
    );
    return { work_id: workId, state: "queued", decision: op.decision() };
  });
}

function toReply(row: WorkRow): WorkReply {
  return {
    work_id: row.workId,
    kind: row.kind,
    state: row.state,
    attempts: row.attempts,
    problem: row.problem,
    subject_id: row.subjectId,
    session_id: row.sessionId,
    created_at: row.createdAt.toISOString(),
    changed_at: row.changedAt.toISOString(),
  };
}
