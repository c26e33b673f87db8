import { ERROR_KINDS, type ErrorKind, type MunimentError } from "../domain/errors.js";

/** HTTP status of each kind. Total: a new kind doesn't compile until it has one. */
export const STATUS_OF = {
  unauthenticated: 401,
  not_found: 404,
  denied: 403,
  invalid_input: 400,
  scope_in_input: 400,
  mode_none: 409,
  credential_in_text: 422,
  version_conflict: 409,
  run_ended: 409,
  run_expired: 409,
  run_waiting: 409,
  goal_immutable: 409,
  cannot_resume: 409,
  checkpoint_missing: 409,
  idempotency_mismatch: 422,
  cap_too_small: 422,
  too_large: 413,
  erased: 410,
  on_hold: 409,
  rate_limited: 429,
  unavailable: 503,
  internal: 500,
} as const satisfies Record<ErrorKind, number>;

const TITLE_OF = {
  unauthenticated: "No valid credential",
  not_found: "Not found",
  denied: "Policy doesn't allow it",
  invalid_input: "Invalid input",
  scope_in_input: "The request names a scope",
  mode_none: "The pinned profile keeps nothing of this",
  credential_in_text: "The text holds a credential",
  version_conflict: "Changed in the meantime",
  run_ended: "The run has ended",
  run_expired: "The run has expired",
  run_waiting: "The run waits for a human",
  goal_immutable: "The goal never changes",
  cannot_resume: "The run can't resume",
  checkpoint_missing: "The checkpoint is missing",
  idempotency_mismatch: "The idempotency key belongs to another request",
  cap_too_small: "The token cap is too small",
  too_large: "Too large",
  erased: "Erased",
  on_hold: "On hold",
  rate_limited: "Too many requests",
  unavailable: "Not available now",
  internal: "Something went wrong on our side",
} as const satisfies Record<ErrorKind, string>;

/** What helps with any refusal of a kind. One that has a next step of its own says that instead. */
export const NEXT_STEP_OF = {
  unauthenticated: "get a new token and send it as `Authorization: Bearer TOKEN`",
  not_found: "check the id, and that the token is for its tenant, workspace, subject and session",
  denied: "use a caller that may do this, or ask for less",
  invalid_input: "correct the named field",
  scope_in_input: "leave the key out: scope comes from the credential alone",
  mode_none: "leave this out, or use a route whose profile keeps it",
  credential_in_text: "take the credential out of the text",
  version_conflict: "read it again, and send the change with the version that you read",
  run_ended: "start a new run",
  run_expired: "start a new run",
  run_waiting: "let a person resume it (`resume_run`), or start a new run for a new intent",
  goal_immutable: "start a new run for the new goal",
  cannot_resume: "start a new run",
  checkpoint_missing: "start a new run",
  idempotency_mismatch: "use a new key for a new request",
  cap_too_small: "raise the cap, or shorten what may not be dropped",
  too_large: "send less at once",
  erased:
    "drop it: what it is about was forgotten; something new goes under a new idempotency key and a new source",
  on_hold: "wait until the hold is released, or ask who placed it",
  rate_limited: "wait as long as `Retry-After` says",
  unavailable: "send it again after a moment, with the same idempotency key",
  internal: "try again; if it stays, tell the operator the request id",
} as const satisfies Record<ErrorKind, string>;

export const PROBLEM_TYPE = "application/problem+json";

/** Problem details (RFC 9457). `type` is a reference to the kind's page. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** What the caller does next, in one sentence. The page says more. */
  readonly next_step: string;
  /** Path of the offending key, never its value. */
  readonly field?: string;
  readonly request_id: string;
}

/** What a caller is told. The cause of a refusal stays inside; so does the message of what can only be a bug. */
export function problemOf(
  refusal: MunimentError,
  requestId: string,
  status: number = STATUS_OF[refusal.kind],
): Problem {
  const { kind, field } = refusal;
  return {
    type: `/docs/errors/${kind}`,
    title: TITLE_OF[kind],
    status,
    detail: kind === "internal" ? "something went wrong on our side" : refusal.message,
    next_step: refusal.nextStep ?? NEXT_STEP_OF[kind],
    ...(field === undefined ? {} : { field }),
    request_id: requestId,
  };
}

/** The kinds as `type` shows them, for the description of the interface. */
export const PROBLEM_TYPES: readonly string[] = ERROR_KINDS.map((kind) => `/docs/errors/${kind}`);
