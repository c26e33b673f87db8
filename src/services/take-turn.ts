import { MunimentError } from "../domain/errors.js";
import { parseExternalId } from "../domain/input.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import { isByAgent } from "../domain/turn.js";
import { Unmet } from "../domain/unmet.js";
import { readCheckpoint } from "../storage/queries/checkpoint-read.js";
import { readEscalation } from "../storage/queries/escalation-read.js";
import { requireUnpurged } from "../storage/queries/reach-delete-whole.js";
import { readRun } from "../storage/queries/run-read.js";
import { resumeRun } from "../storage/queries/run-resume.js";
import {
  readSubject,
  type SubjectRevision,
  shareSubject,
} from "../storage/queries/subject-read.js";
import { listWorkingByRun } from "../storage/queries/working-list-by-run.js";
import type { Statement } from "../storage/sql.js";
import type { Transaction } from "../storage/store.js";
import { activeRun } from "./active-run.js";
import type { Caller } from "./caller.js";
import { idleEnd, runClock } from "./clocks.js";
import { govern } from "./govern.js";
import { findRepeat, keepReply, makeRepeatable, refuseRepeat } from "./idempotency.js";
import { parseInput } from "./inputs/parse.js";
import { takeTurnInput } from "./inputs/run.js";
import type { DecisionReply, Operation } from "./operation.js";
import { type PinnedRun, pinOf } from "./pins.js";
import { type RunView, runReads, viewRun } from "./read-run.js";
import { goalImmutable, nothingToResume, runExpired, runWaiting } from "./run-refusals.js";
import { NOTHING_SAID, sayTurns } from "./say-turns.js";
import type { Services } from "./services.js";
import type { TurnToKeep } from "./turn-writing.js";

export interface TakeTurnReply extends RunView {
  /** True where this turn took a failed run up again: go on with the stage at `resume_index`. */
  readonly resumed: boolean;
  readonly turn_ids: readonly string[];
  readonly decision: DecisionReply;
}

/**
 * A turn on the session's active pin: reloads its slots and notes. `{}` and `{resume: true}` take a failed run up again
 * where its checkpoint left it. The route isn't decided again, whatever was said.
 */
export function takeTurn(
  services: Services,
  caller: Caller,
  subjectId: string,
  sessionId: string,
  body: unknown,
): Promise<TakeTurnReply> {
  return govern(services, caller, "take_turn", async (op) => {
    const input = parseInput(takeTurnInput, body);
    if (input.goal !== undefined) throw goalImmutable();
    const request = [subjectId, sessionId, body];
    const run = await activeRun(
      op,
      parseExternalId(subjectId, "subject"),
      parseExternalId(sessionId, "session"),
      request,
    );
    const pinned = await pinOf(op, run);
    const { pin, key } = pinned;
    // The reply shows the run that is pinned now: under another one it isn't the same request any more.
    makeRepeatable(op, key, request, run);
    const permit = op.permit({ type: "run", pin }, {});
    const said = await whatIsSaid(op, permit, pinned, input.turns ?? []);
    const resumes = input.resume ?? said.ids.length === 0;
    return await services.store.transact(permit, async (tx) => {
      const { subject, working, view } = await readLive(op, tx, permit, pinned);
      const resuming = isResumed(pin, view, resumes);
      const reply = replyOf(op, pin, view, { resuming, turnIds: said.ids });
      await tx.commit([
        ...keepReply(op, permit, reply),
        ...(resuming ? [resumeRun(permit, pin.profileHash, idleEnd(pin, op.now))] : []),
        ...said.statements,
        ...unforgottenSince(op, permit, subject),
        op.audit(permit, {
          reads: runReads(run, working),
          writes: [...said.touched, ...(resuming ? [{ kind: "run", ids: [run] }] : [])],
          ttl: runClock(pin, new Date(reply.expires_at)),
        }),
      ]);
      return reply;
    });
  });
}

async function whatIsSaid(
  op: Operation<"take_turn">,
  permit: Permit<"take_turn">,
  pinned: PinnedRun,
  turns: readonly TurnToKeep[],
) {
  if (turns.length === 0) return NOTHING_SAID;
  const byAgent = turns.some(isByAgent);
  return await sayTurns(op, permit, pinned, turns, { byAgent });
}

/** The run as it stands, where it lives and this turn wasn't taken before. */
async function readLive(
  op: Operation<"take_turn">,
  tx: Transaction,
  permit: Permit<"take_turn">,
  { pin, key }: PinnedRun,
) {
  const [[subject], runs, working, checkpoints, escalations, seen] = await tx.send([
    readSubject(permit),
    readRun(permit),
    listWorkingByRun(permit, LIMITS.workingRowsMax),
    readCheckpoint(permit),
    readEscalation(permit),
    ...findRepeat(op, permit),
  ]);
  if (runs[0]?.sticky === false) throw new Unmet("pin_changed");
  refuseRepeat(seen);
  if (subject === undefined) throw new Unmet("subject_gone");
  const view = viewRun(op.services, pin, key, op.now, [runs, working, checkpoints, escalations]);
  if (view.goal === null) throw runExpired();
  return { subject, working, view };
}

/** A reply that is kept shows nothing that was forgotten while it was made. It shares the subject's row last: a turn writes it. */
function unforgottenSince(
  { repeatable }: Operation<"take_turn">,
  permit: Permit<"take_turn">,
  { purgeRevision }: SubjectRevision,
): readonly Statement[] {
  if (repeatable === null) return [];
  return [shareSubject(permit), requireUnpurged(permit, purgeRevision)];
}

/** The run as this turn leaves it: each write of the turn advances the version and moves the idle clock. */
function replyOf(
  op: Operation<"take_turn">,
  pin: Pin,
  view: RunView,
  { resuming, turnIds }: { readonly resuming: boolean; readonly turnIds: readonly string[] },
): TakeTurnReply {
  const writes = Number(resuming) + Number(turnIds.length > 0);
  return {
    ...view,
    ...(resuming ? { state: "active", failure_code: null } : {}),
    version: view.version + writes,
    expires_at: writes === 0 ? view.expires_at : idleEnd(pin, op.now).toISOString(),
    resumed: resuming,
    turn_ids: turnIds,
    decision: op.decision(),
  };
}

/** Whether this turn takes a failed run up again. Throws where it can't be. */
function isResumed(pin: Pin, { state, checkpoint }: RunView, resumes: boolean): boolean {
  if (state === "waiting" && resumes) throw runWaiting();
  if (state !== "failed" || !resumes) return false;
  if (pin.route.memory_profile.loop === "none") {
    throw new MunimentError(
      "cannot_resume",
      "the pinned profile keeps no checkpoint (`loop: none`): start a new run",
    );
  }
  if (checkpoint === null) throw nothingToResume();
  return true;
}
