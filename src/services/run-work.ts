import { uuidv7 } from "uuidv7";
import { MunimentError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { CompressionDetail, ObservationSpan } from "../domain/work.js";
import { type ClaimedWork, claimWork, lockModel } from "../storage/queries/work-claim.js";
import { setWorkAside, setWorkWaiting } from "../storage/queries/work-end.js";
import { sendNextModel } from "../storage/queries/work-insert.js";
import type { Caller } from "./caller.js";
import { compressSession } from "./compress-session.js";
import { consolidateSubject } from "./consolidate-subject.js";
import { govern } from "./govern.js";
import { inWorkspace, jobCaller } from "./job-caller.js";
import { observeSession } from "./observe-session.js";
import { leaseEnd } from "./renew-lease.js";
import type { Services } from "./services.js";

/** What a message of the queue says: which row to work on. Nothing else travels outside the wall. */
export interface WorkRef {
  readonly tenant_id: string;
  readonly work_id: string;
}

/** `gone`: done before, parked, in another worker's hands, or about somebody who was erased. */
export type WorkOutcome = "done" | "parked" | "retry" | "gone";

/** Refusals that another try won't change. */
const FINAL: ReadonlySet<string> = new Set([
  "invalid_input",
  "denied",
  "credential_in_text",
  "too_large",
]);

/**
 * Does one job, as the job's own principal: takes its row under a lease, works, and writes result and end together. What
 * fails for now is tried again, what fails for good is parked where an operator sees it.
 */
export async function runWork(services: Services, ref: WorkRef): Promise<WorkOutcome> {
  const tenant = await services.directory.tenantName(ref.tenant_id);
  if (tenant === null) return "gone";
  const caller = await jobCaller(services, "work", tenant);
  const work = await claim(services, caller, ref.work_id);
  if (work === null) return "gone";
  try {
    await perform(services, inWorkspace(caller, work.workspaceId), work);
    return "done";
  } catch (error) {
    return await setAside(services, caller, work, error);
  }
}

async function perform(services: Services, caller: Caller, work: ClaimedWork): Promise<void> {
  const { kind, sessionId } = work;
  if (kind === "compress_session" && sessionId !== null) {
    const detail = work.detail as CompressionDetail;
    return await compressSession(services, caller, { ...work, sessionId, detail });
  }
  if (kind === "observe_session" && sessionId !== null) {
    const detail = work.detail as ObservationSpan;
    return await observeSession(services, caller, { ...work, sessionId, detail });
  }
  if (kind === "consolidate_subject") return await consolidateSubject(services, caller, work);
  throw new MunimentError("denied", "this version doesn't know that kind of work");
}

function claim(services: Services, caller: Caller, workId: string): Promise<ClaimedWork | null> {
  return govern(services, caller, "run_work", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    const [, [work]] = await services.store.transact(permit, (tx) =>
      tx.commit([
        lockModel(permit, workId),
        claimWork(permit, workId, leaseEnd(op.now)),
        op.audit(permit, { writes: [{ kind: "work", ids: [workId] }] }),
      ]),
    );
    return work ?? null;
  });
}

async function setAside(
  services: Services,
  caller: Caller,
  work: ClaimedWork,
  error: unknown,
): Promise<WorkOutcome> {
  const { state, problem, outcome, isWaiting = false } = verdictOf(work, error);
  if (outcome !== "gone" && !isWaiting) {
    const { workId: job, kind } = work;
    services.onJobFault({ job, kind, problem, isParked: outcome === "parked", cause: error });
  }
  await govern(services, caller, "run_work", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    await services.store.transact(permit, (tx) =>
      tx.commit([
        lockModel(permit, work.workId),
        isWaiting
          ? setWorkWaiting(permit, work, problem)
          : setWorkAside(permit, work, state, problem),
        // A job that comes again makes the model of all that waits by then.
        ...(work.kind === "consolidate_subject" && state !== "queued"
          ? [sendNextModel(permit, work, uuidv7())]
          : []),
        op.audit(permit, { writes: [{ kind: `work_${state}`, ids: [work.workId] }] }),
      ]),
    );
  });
  return outcome;
}

interface Verdict {
  readonly state: "queued" | "parked" | "done";
  readonly problem: string;
  readonly outcome: WorkOutcome;
  /** Nothing is wrong with it: the try doesn't count. */
  readonly isWaiting?: boolean;
}

function verdictOf(work: ClaimedWork, error: unknown): Verdict {
  const kind = error instanceof MunimentError ? error.kind : "internal";
  const field = error instanceof MunimentError && error.field ? `:${error.field}` : "";
  const problem = `${kind}${field}`;
  // The day has no tokens left for its tenant.
  if (kind === "rate_limited")
    return { state: "queued", problem: "budget", outcome: "retry", isWaiting: true };
  // Something of it was forgotten while it was worked on: it is done again without that.
  if (problem === "unavailable:forgotten")
    return { state: "queued", problem: "forgotten", outcome: "retry", isWaiting: true };
  // Another job made the model meanwhile: it is made again of what that one made.
  if (problem === "unavailable:overtaken")
    return { state: "queued", problem: "overtaken", outcome: "retry", isWaiting: true };
  // Erased, or another worker's by now: then the row isn't ours to change, and stays as it is.
  if (kind === "not_found" || kind === "version_conflict")
    return { state: "done", problem, outcome: "gone" };
  if (FINAL.has(kind) || work.attempts >= LIMITS.workAttemptsMax)
    return { state: "parked", problem, outcome: "parked" };
  return { state: "queued", problem, outcome: "retry" };
}
