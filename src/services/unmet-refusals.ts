import { MunimentError, notFound } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";

const changed = () =>
  new MunimentError("version_conflict", "it was changed since you read it: read it again");

/** What a caller hears of an expectation that wasn't met, by its code. */
const UNMET: ReadonlyMap<string, () => MunimentError> = new Map([
  ["subject_gone", notFound],
  ["session_closed", () => new MunimentError("run_ended", "the session is closed")],
  ["version_conflict", changed],
  [
    "request_erased",
    () =>
      new MunimentError(
        "erased",
        "what this request was about was erased since: it isn't repeated",
      ),
  ],
  [
    "person_erased",
    () =>
      new MunimentError(
        "erased",
        "the person was forgotten, and what another system kept of them may be from before: it isn't taken",
      ),
  ],
  [
    "item_erased",
    () => new MunimentError("erased", "this source was forgotten: it isn't taken again"),
  ],
  [
    "on_hold",
    () =>
      new MunimentError(
        "on_hold",
        "a legal hold covers it: nothing of it is forgotten before the hold is released",
      ),
  ],
  [
    "purged_meanwhile",
    () =>
      new MunimentError(
        "unavailable",
        "something that was read has been forgotten meanwhile, try again",
        { field: "forgotten" },
      ),
  ],
  [
    "knows_forgotten",
    () =>
      new MunimentError(
        "version_conflict",
        "something that the run knew was forgotten since: assemble a new pack, and go on from what it says",
      ),
  ],
  [
    "view_changed",
    () =>
      new MunimentError("unavailable", "the view has been published anew meanwhile, try again", {
        field: "overtaken",
      }),
  ],
  [
    "budget_spent",
    () =>
      new MunimentError("rate_limited", "the tenant's models have no tokens left for today", {
        field: "budget",
      }),
  ],
  [
    "budget_reserved",
    () =>
      new MunimentError(
        "rate_limited",
        "questions under way have set aside what the tenant's models have left for today",
        { field: "budget_reserved" },
      ),
  ],
  [
    "dimensions_full",
    () =>
      new MunimentError(
        "too_large",
        `a tenant has at most ${LIMITS.dimensionsMax} dimensions of its own`,
      ),
  ],
  [
    "schema_newer",
    () =>
      new MunimentError(
        "unavailable",
        "the database belongs to a newer version by now, which keeps what this one can't forget: ask a service of that version",
      ),
  ],
  ["work_gone", notFound],
  [
    "work_not_parked",
    () =>
      new MunimentError(
        "version_conflict",
        "it isn't parked: what is queued or running is tried again by itself, what is done needs nothing",
      ),
  ],
  ["run_not_found", notFound],
  ["work_lost", () => new MunimentError("version_conflict", "another worker has the job by now")],
  ["pin_changed", changed],
  [
    "candidate_changed",
    () =>
      new MunimentError(
        "version_conflict",
        "the candidate isn't the one that you saw, or was decided on: read it again",
      ),
  ],
  [
    "definition_changed",
    () =>
      new MunimentError(
        "version_conflict",
        "the field was defined anew since: propose the value again",
      ),
  ],
  [
    "candidates_full",
    () =>
      new MunimentError(
        "too_large",
        `${LIMITS.candidatesOpenMax} candidates of this subject wait already: decide on them first`,
      ),
  ],
  [
    "working_full",
    () =>
      new MunimentError(
        "too_large",
        `the run's working memory is full (${LIMITS.workingBytesMax} bytes): keep large values as artifacts`,
      ),
  ],
  [
    "steps_spent",
    () =>
      new MunimentError(
        "too_large",
        `the loop has taken ${LIMITS.loopStepsMax} steps, which is all there are: start a new run`,
      ),
  ],
  [
    "checkpoint_missing",
    () =>
      new MunimentError(
        "checkpoint_missing",
        "the run's checkpoint is missing, so it can't proceed: start a new run",
      ),
  ],
]);

/** The refusal of an expectation that wasn't met; null where its code says nothing to a caller. */
export function refusalOf(code: string): MunimentError | null {
  return UNMET.get(code)?.() ?? null;
}
