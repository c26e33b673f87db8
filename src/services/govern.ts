import { MunimentError, notFound } from "../domain/errors.js";
import { IntegrityError, StaleKeyError } from "../domain/keyring.js";
import { Unmet } from "../domain/unmet.js";
import type { AskedAction } from "../policy/question.js";
import { findRunState } from "../storage/queries/run-find-state.js";
import type { Caller } from "./caller.js";
import { nameRequest, refuseUnusedKey, replay } from "./idempotency.js";
import { Operation } from "./operation.js";
import { forgetPin } from "./pins.js";
import { nothingToResume, runExpired, runWaiting } from "./run-refusals.js";
import type { Services } from "./services.js";
import { forgetSubject } from "./subjects.js";
import { refusalOf } from "./unmet-refusals.js";

/** A cached subject, pin or key that went stale is looked up again once. */
const ATTEMPTS_MAX = 2;
const STALE_CODES: ReadonlySet<string> = new Set([
  "subject_gone",
  "pin_changed",
  "name_missing",
  "definition_changed",
]);

/**
 * Runs one operation. Whatever refuses it is audited under the caller's tenant, in a transaction of its own, before
 * the caller hears of it; if that row can't be written, the answer is `unavailable`.
 */
export async function govern<A extends AskedAction, R>(
  services: Services,
  caller: Caller,
  action: A,
  work: (op: Operation<A>) => Promise<R>,
): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    const op = new Operation(services, caller, action, attempt > 1);
    try {
      refuseUnusedKey(op);
      await nameRequest(op);
      return await work(op);
    } catch (error) {
      if (error instanceof Unmet && error.code === "idempotency_seen")
        return await replayOrRefuse<A, R>(op);
      const isStale = forgetStale(op, error);
      if (!isStale || attempt === ATTEMPTS_MAX) throw await refuse(op, error);
    }
  }
}

async function replayOrRefuse<A extends AskedAction, R>(op: Operation<A>): Promise<R> {
  try {
    return (await replay(op)) as R;
  } catch (error) {
    throw await refuse(op, error);
  }
}

/** Audits a refusal that came before any use case ran, such as bad input. */
export async function refuseEarly(
  services: Services,
  caller: Caller,
  action: AskedAction,
  error: unknown,
): Promise<MunimentError> {
  return await refuse(new Operation(services, caller, action), error);
}

/** Forgets what an expectation has shown to be out of date. False where it wasn't that. */
function forgetStale<A extends AskedAction>(op: Operation<A>, error: unknown): boolean {
  if (error instanceof StaleKeyError) {
    op.services.keyring.refreshSubjectKey(error.key, error.met);
    return true;
  }
  if (!(error instanceof Unmet) || !STALE_CODES.has(error.code)) return false;
  const relied = op.forgetReliedOn();
  if (op.pin === null) return relied;
  forgetPin(op.services, op.pin);
  forgetSubject(op.services, op.caller.principal, op.pin.subject);
  return true;
}

async function refuse<A extends AskedAction>(
  op: Operation<A>,
  error: unknown,
): Promise<MunimentError> {
  const refusal = await toRefusal(op, error);
  if (refusal.kind === "internal" || refusal.kind === "unavailable") return refusal;
  if (refusal.kind === "not_found") await op.hideForeign();
  const permit = op.services.policy.refusalPermit(op.caller.principal, op.now);
  try {
    await op.services.store.transact(permit, (tx) =>
      tx.commit([op.auditRefusal(permit, refusal.kind)]),
    );
  } catch (cause) {
    return new MunimentError("unavailable", "the refusal could not be audited, try again later", {
      cause,
    });
  }
  return refusal;
}

async function toRefusal<A extends AskedAction>(
  op: Operation<A>,
  error: unknown,
): Promise<MunimentError> {
  if (error instanceof MunimentError) return error;
  if (error instanceof IntegrityError)
    op.services.onAlarm({
      what: "sealed_value",
      table: error.place.table,
      detail: error.place.column,
    });
  if (error instanceof StaleKeyError)
    return new MunimentError(
      "unavailable",
      "what is stored was sealed under a newer key than custody has: try again, or bring back the newer custody",
    );
  const code = error instanceof Unmet ? error.code : "";
  if (code === "run_unusable" || code === "cannot_resume" || code === "not_waiting")
    return await diagnose(op, code);
  return (
    refusalOf(code) ??
    new MunimentError("internal", "something went wrong on our side", { cause: error })
  );
}

/** Says why a run of the caller's own couldn't be used. */
async function diagnose<A extends AskedAction>(
  op: Operation<A>,
  code: string,
): Promise<MunimentError> {
  if (op.pin === null) return notFound();
  const permit = op.services.policy.resolvePermit(op.caller.principal, op.now);
  const { run } = op.pin;
  const [[state]] = await op.services.store.transact(permit, (tx) =>
    tx.commit([findRunState(permit, run)]),
  );
  if (state === undefined) return notFound();
  if (state.expired) return runExpired();
  if (state.state === "waiting") return runWaiting();
  if (state.state === "failed" && code === "cannot_resume") return nothingToResume();
  if (state.state === "failed")
    return new MunimentError("run_ended", "the run has failed: take a turn with `resume` to go on");
  if (state.state !== "active")
    return new MunimentError("run_ended", "the run has ended: start a new run");
  if (code === "not_waiting")
    return new MunimentError("version_conflict", "the run doesn't wait for anybody");
  return new MunimentError(
    "version_conflict",
    "the run was changed since you read it: read it again",
  );
}
