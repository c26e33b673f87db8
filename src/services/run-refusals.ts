import { MunimentError } from "../domain/errors.js";

export function runExpired(): MunimentError {
  return new MunimentError(
    "run_expired",
    "the run was idle longer than its profile allows: start a new run",
  );
}

export function runWaiting(): MunimentError {
  return new MunimentError("run_waiting", "the run waits for a human: only they can resume it");
}

export function goalImmutable(): MunimentError {
  return new MunimentError("goal_immutable", "the goal of a run never changes: start a new run", {
    field: "goal",
  });
}

/** Of a run that is to go on where it failed. */
export function nothingToResume(): MunimentError {
  return new MunimentError(
    "checkpoint_missing",
    "the run's checkpoint is missing, so it can't resume: start a new run",
  );
}
