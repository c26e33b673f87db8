/**
 * Every way in which an operation can refuse. Each transport owns a total table over this union,
 * so a new kind doesn't compile until every door answers it. One page per kind in `docs/errors/`.
 */
export const ERROR_KINDS = [
  "unauthenticated",
  "not_found",
  "denied",
  "invalid_input",
  "scope_in_input",
  "mode_none",
  "credential_in_text",
  "version_conflict",
  "run_ended",
  "run_expired",
  "run_waiting",
  "goal_immutable",
  "cannot_resume",
  "checkpoint_missing",
  "idempotency_mismatch",
  "cap_too_small",
  "too_large",
  "erased",
  "on_hold",
  "rate_limited",
  "unavailable",
  "internal",
] as const;

export type ErrorKind = (typeof ERROR_KINDS)[number];

export interface ErrorDetails {
  /** Path of the offending key in the input, such as `turns.0.text`. Never its value. */
  readonly field?: string;
  /** What a person does next, where the advice for the whole kind is too wide. Safe to show, as the message is. */
  readonly nextStep?: string;
  /** Private: for the operator's log, never for the caller. */
  readonly cause?: unknown;
}

/** The one error class. `message` is safe to show: it never repeats input or personal data. */
export class MunimentError extends Error {
  readonly kind: ErrorKind;
  readonly field: string | undefined;
  readonly nextStep: string | undefined;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = "MunimentError";
    this.kind = kind;
    this.field = details.field;
    this.nextStep = details.nextStep;
  }
}

/** The code that node and the database give to their errors; null where there is none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : null;
}

/** A foreign id and a missing one answer alike, word for word. */
export const NOT_FOUND = { kind: "not_found", message: "not found" } as const;

export function notFound(): MunimentError {
  return new MunimentError(NOT_FOUND.kind, NOT_FOUND.message);
}

/** For what can only be a bug of ours: never shown to a caller. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new MunimentError("internal", `assertion failed: ${message}`);
}

/** Takes the value out of what can't be absent here. */
export function must<T>(value: T | null | undefined, what: string): T {
  assert(value !== null && value !== undefined, `${what} is missing`);
  return value;
}

export function unreachable(value: never): never {
  throw new MunimentError("internal", `unreachable: ${typeof value}`);
}
