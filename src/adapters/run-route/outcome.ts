/** How a route ended, or where it stands. Whatever the memory itself refuses is thrown, and leaves the run as it is. */
export type RunRouteResult =
  | {
      readonly state: "completed";
      readonly run_id: string;
      /** Of the last stage that wasn't passed over: what its capability gave, or `{ text }` of the model. */
      readonly output: unknown;
      readonly slots: Readonly<Record<string, unknown>>;
    }
  /** The stage's gate doesn't hold, or the stage is somebody else's to complete. `resumeRoute` goes on there. */
  | { readonly state: "waiting"; readonly run_id: string; readonly stage_id: string }
  /** A human has to answer (`resume_run`) before `resumeRoute` can go on. */
  | { readonly state: "escalated"; readonly run_id: string; readonly reason: string }
  | {
      readonly state: "failed";
      readonly run_id: string;
      readonly code: FailureCode;
      /** What the model or capability threw, where it did. */
      readonly cause: unknown;
    };

export type FailureCode =
  | "aborted"
  | "model_failed"
  | "model_timeout"
  | "model_invalid"
  | "tool_not_allowed"
  | "steps_exhausted"
  | "capability_failed"
  | "input_invalid";

/** Thrown by a step to hand the run to a human. Never leaves this folder. */
export class Escalated extends Error {
  readonly reason: string;
  readonly evidence: readonly string[];

  constructor(reason: string, evidence: readonly string[]) {
    super("escalated");
    this.name = "Escalated";
    this.reason = reason;
    this.evidence = evidence;
  }
}

/** Thrown by a step to end the course of a run. Never leaves this folder. */
export class Failure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, cause?: unknown) {
    super(code, { cause });
    this.name = "Failure";
    this.code = code;
  }
}
