import { MunimentError } from "../domain/errors.js";
import type { WorkId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import { secondsToNextDay } from "../domain/model-usage.js";
import type { CompressionDetail, ObservationSpan } from "../domain/work.js";
import {
  type ClaimedWork,
  claimWork,
  lockPersonOf,
  type Taken,
} from "../storage/queries/work-claim.js";
import { setWorkAside, setWorkWaiting } from "../storage/queries/work-end.js";
import { findNextOfPerson } from "../storage/queries/work-next.js";
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

/** `gone`: done before, parked, or about somebody who was erased. */
export type WorkOutcome = "done" | "parked" | "retry" | "gone";

/** How a job ended this time. */
export interface WorkEnd {
  readonly outcome: WorkOutcome;
  /** Seconds after which it is due again, where nothing is wrong with it: then this was no try. */
  readonly pauseSeconds?: number;
  /** True where it waits for whoever comes before it, and is called when that ends. */
  readonly isBehind?: boolean;
  /** The person's next job, which waits for this one: it is to be called. */
  readonly next?: WorkId | undefined;
}

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
export async function runWork(services: Services, ref: WorkRef): Promise<WorkEnd> {
  const tenant = await services.directory.tenantName(ref.tenant_id);
  if (tenant === null) return { outcome: "gone" };
  const caller = await jobCaller(services, "work", tenant);
  const work = await claim(services, caller, ref.work_id);
  if ("outcome" in work) return work;
  try {
    const next = await perform(services, inWorkspace(caller, work.workspaceId), work);
    return { outcome: "done", next };
  } catch (error) {
    return await setAside(services, caller, work, error);
  }
}

/** Gives the person's next job. */
async function perform(
  services: Services,
  caller: Caller,
  work: ClaimedWork,
): Promise<WorkId | undefined> {
  const { kind, sessionId } = work;
  if (hasVanished(work)) throw new MunimentError("internal", "each worker that tried it vanished");
  if (kind === "compress_session" && sessionId !== null) {
    const detail = work.detail as CompressionDetail;
    await compressSession(services, caller, { ...work, sessionId, detail });
    return undefined;
  }
  if (kind === "observe_session" && sessionId !== null) {
    const detail = work.detail as ObservationSpan;
    return await observeSession(services, caller, { ...work, sessionId, detail });
  }
  if (kind === "consolidate_subject") return await consolidateSubject(services, caller, work);
  throw new MunimentError("denied", "this version doesn't know that kind of work");
}

/** The last try parks a job when it ends: one that is taken once more has lost the worker of that too. */
function hasVanished({ attempts }: ClaimedWork): boolean {
  return attempts > LIMITS.workAttemptsMax;
}

/** The job, or how it ended where it isn't to be done now. */
function claim(services: Services, caller: Caller, workId: string): Promise<ClaimedWork | WorkEnd> {
  return govern(services, caller, "run_work", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    const [, [taken]] = await services.store.transact(permit, (tx) =>
      tx.commit([
        lockPersonOf(permit, workId),
        claimWork(permit, workId, leaseEnd(op.now)),
        op.audit(permit, { writes: [{ kind: "work", ids: [workId] }] }),
      ]),
    );
    if (taken === undefined) return { outcome: "gone" };
    if (taken.isClaimed) return taken;
    return { outcome: "retry", pauseSeconds: pauseBehind(taken, op.now), isBehind: true };
  });
}

/** When to look again, should nobody call: the sooner the fewer come before, and not before another worker's lease has ended. */
function pauseBehind({ heldUntil, ahead }: Taken, now: Date): number {
  const leaseSeconds = LIMITS.workLeaseMinutes * 60;
  const held = heldUntil === null ? 0 : (heldUntil.getTime() - now.getTime()) / 1_000;
  return Math.min(Math.ceil(Math.max(held, ahead * LIMITS.workBehindSeconds)), leaseSeconds);
}

async function setAside(
  services: Services,
  caller: Caller,
  work: ClaimedWork,
  error: unknown,
): Promise<WorkEnd> {
  const { state, problem, ...end } = verdictOf(work, error, services.clock.now());
  if (end.outcome !== "gone" && end.pauseSeconds === undefined) {
    const { workId: job, kind } = work;
    services.onJobFault({ job, kind, problem, isParked: state === "parked", cause: error });
  }
  const next = await govern(services, caller, "run_work", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    const [, [found]] = await services.store.transact(permit, (tx) =>
      tx.commit([
        lockPersonOf(permit, work.workId),
        findNextOfPerson(permit, work.workId),
        end.pauseSeconds === undefined
          ? setWorkAside(permit, work, state, problem)
          : setWorkWaiting(permit, work, problem),
        op.audit(permit, { writes: [{ kind: `work_${state}`, ids: [work.workId] }] }),
      ]),
    );
    return found?.workId;
  });
  // One that makes a model comes again itself, and makes it of all that waits by then.
  const isFirst = state === "queued" && work.kind === "consolidate_subject";
  return isFirst ? end : { ...end, next };
}

interface Verdict extends WorkEnd {
  readonly state: "queued" | "parked" | "done";
  readonly problem: string;
}

function verdictOf(work: ClaimedWork, error: unknown, now: Date): Verdict {
  const kind = error instanceof MunimentError ? error.kind : "internal";
  const field = error instanceof MunimentError && error.field ? `:${error.field}` : "";
  const problem = `${kind}${field}`;
  const wait = waitOf(problem, now);
  if (wait !== null) return { state: "queued", outcome: "retry", ...wait };
  // Erased, or another worker's by now: then the row isn't ours to change, and stays as it is.
  if (kind === "not_found" || kind === "version_conflict")
    return { state: "done", problem, outcome: "gone" };
  if (hasVanished(work)) return { state: "parked", problem: "vanished", outcome: "parked" };
  if (FINAL.has(kind) || work.attempts >= LIMITS.workAttemptsMax)
    return { state: "parked", problem, outcome: "parked" };
  return { state: "queued", problem, outcome: "retry" };
}

/** What a job waits for with which nothing is wrong, and how long; null where something is. */
function waitOf(
  problem: string,
  now: Date,
): Required<Pick<Verdict, "problem" | "pauseSeconds">> | null {
  // The day has no tokens left for its tenant, or none before others give theirs back.
  if (problem === "rate_limited:budget") {
    const pauseSeconds = Math.min(secondsToNextDay(now), LIMITS.workSpentMinutes * 60);
    return { problem: "budget", pauseSeconds };
  }
  if (problem === "rate_limited:budget_reserved")
    return { problem: "budget", pauseSeconds: LIMITS.workReservedSeconds };
  // Something of it was forgotten while it was worked on: it is done again without that.
  if (problem === "unavailable:forgotten") return { problem: "forgotten", pauseSeconds: 0 };
  // Another job made the model meanwhile: it is made again of what that one made.
  if (problem === "unavailable:overtaken") return { problem: "overtaken", pauseSeconds: 0 };
  return null;
}
