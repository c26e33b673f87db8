import { hoursAfter } from "../domain/clock.js";
import { MunimentError } from "../domain/errors.js";
import type { RunId } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import { Unmet } from "../domain/unmet.js";
import { readCheckpoint } from "../storage/queries/checkpoint-read.js";
import { readRun } from "../storage/queries/run-read.js";
import { resumeRun } from "../storage/queries/run-resume.js";
import { touchConversation } from "../storage/queries/run-touch.js";
import { listWorkingByRun } from "../storage/queries/working-list-by-run.js";
import { runScope, sessionScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";
import type { Caller } from "./caller.js";
import { runClock } from "./clocks.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { parseInput } from "./inputs/parse.js";
import { takeTurnInput } from "./inputs/run.js";
import type { TurnInput } from "./inputs/turn.js";
import type { DecisionReply, Operation } from "./operation.js";
import { pinOf } from "./pins.js";
import { type RunView, runReads, viewRun } from "./read-run.js";
import type { Services } from "./services.js";
import { namedSubject, ownSession } from "./settle.js";
import { findSession } from "./subjects.js";
import { type Written, writeTurns } from "./turn-writing.js";

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
    if (input.goal !== undefined)
      throw new MunimentError(
        "goal_immutable",
        "the goal of a run never changes: start a new run",
        { field: "goal" },
      );
    const run = await activeRun(
      op,
      parseExternalId(subjectId, "subject"),
      parseExternalId(sessionId, "session"),
    );
    const { pin, key } = await pinOf(op, run);
    makeRepeatable(op, key, [subjectId, sessionId, body]);
    const permit = op.permit({ type: "run", pin }, {});
    const turns = input.turns ?? [];
    if (turns.length > 0 && pin.route.memory_profile.conversation === "none") {
      throw new MunimentError("mode_none", "the pinned profile keeps no conversation", {
        field: "turns",
      });
    }
    const { evidenceDays } = await services.directory.tenant(caller.principal.claims.tenant);
    const written = writeTurns(
      {
        permit,
        scope: sessionScope(permit),
        key,
        run,
        routeId: pin.routeId,
        evidenceDays,
        conversation: true,
      },
      turns,
    );
    return await services.store.transact(permit, async (tx) => {
      const read = await tx.send([
        readRun(permit),
        listWorkingByRun(permit, LIMITS.workingRowsMax),
        readCheckpoint(permit),
      ]);
      if (read[0][0]?.sticky === false) throw new Unmet("pin_changed");
      const view = viewRun(services, pin, key, op.now, read);
      if (view.goal === null)
        throw new MunimentError(
          "run_expired",
          "the run was idle longer than its profile allows: start a new run",
        );
      const resuming = view.state === "failed" && (input.resume ?? turns.length === 0);
      if (resuming) refuseUnresumable(pin, view);
      const after = afterTurn(view, pin, op.now, { resuming, saying: turns.length > 0 });
      const expiresAt = new Date(after.expires_at);
      const reply = {
        ...after,
        resumed: resuming,
        turn_ids: written.ids,
        decision: op.decision(),
      };
      const touched = [
        { kind: "turn", ids: written.ids },
        ...(resuming ? [{ kind: "run", ids: [run] }] : []),
      ];
      await tx.commit([
        ...keepReply(op, permit, reply),
        ...turnStatements(permit, { pin, resuming, written, turns, expiresAt, key }),
        op.audit(permit, {
          reads: runReads(run, read[1]),
          writes: touched,
          ttl: runClock(pin, expiresAt),
        }),
      ]);
      return reply;
    });
  });
}

/** The run as the turn leaves it. One that neither resumes nor says anything only reads, and moves no clock. */
function afterTurn(
  view: RunView,
  pin: Pin,
  now: Date,
  { resuming, saying }: { readonly resuming: boolean; readonly saying: boolean },
): RunView {
  if (!resuming && !saying) return view;
  return {
    ...view,
    ...(resuming ? { state: "active", failure_code: null } : {}),
    version: view.version + Number(resuming) + Number(saying),
    expires_at: hoursAfter(now, pin.route.memory_profile.ttl_hours).toISOString(),
  };
}

interface TurnWork {
  readonly pin: Pin;
  readonly key: SubjectKey;
  readonly resuming: boolean;
  readonly turns: readonly TurnInput[];
  readonly written: Written;
  readonly expiresAt: Date;
}

function turnStatements(permit: Permit, work: TurnWork): readonly Statement[] {
  const { pin, expiresAt, written } = work;
  return [
    ...(work.resuming ? [resumeRun(permit, pin.profileHash, expiresAt)] : []),
    ...(work.turns.length === 0
      ? []
      : [
          touchConversation(
            runScope(permit),
            { pin, expiresAt, expectedVersion: null },
            work.turns.length,
          ),
        ]),
    ...written.names,
    ...written.turns,
  ];
}

/** The session's active run, whatever its state. None: the session has no pin to stick to. */
async function activeRun(
  op: Operation<"take_turn">,
  subjectId: string,
  sessionId: string,
): Promise<RunId> {
  const { services, caller } = op;
  const subject = await namedSubject(op, subjectId);
  const session =
    subject === null ? null : await findSession(services, caller.principal, subject, sessionId);
  if (session === null) {
    await op.foreign(JSON.stringify([subjectId, sessionId]));
    throw new MunimentError("not_found", "not found");
  }
  await ownSession(op, session, sessionId);
  if (session.activeRunId === null)
    throw new MunimentError("run_ended", "the session has no active run: start one");
  return session.activeRunId;
}

function refuseUnresumable(pin: Pin, view: RunView): void {
  if (pin.route.memory_profile.loop === "none") {
    throw new MunimentError(
      "cannot_resume",
      "the pinned profile keeps no checkpoint (`loop: none`): start a new run",
    );
  }
  if (view.checkpoint === null) {
    throw new MunimentError(
      "checkpoint_missing",
      "the run's checkpoint is missing, so it can't resume: start a new run",
    );
  }
}
