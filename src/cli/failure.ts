import { heldBy } from "../compose/held.js";
import { type ErrorKind, MunimentError } from "../domain/errors.js";

/** A command that ends with this code and has already said why. */
export class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.name = "Exit";
    this.code = code;
  }
}

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** The command line itself is wrong. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** What a person does next. Total: a new kind doesn't compile until it has one. */
const NEXT_STEP = {
  unauthenticated:
    "the service takes no development tokens, or not from this data directory: check --data-dir",
  not_found: "check the id, --tenant and --workspace",
  denied:
    "see what the route or the field allows (muniment route list, muniment field list): the rules are in policies/",
  invalid_input: "correct what it names and try again",
  scope_in_input: "leave that key out: tenant and subject come from the options",
  mode_none: "use a route whose memory_profile keeps this",
  credential_in_text: "take the credential out of the text",
  version_conflict: "read it again and repeat the change",
  run_ended: "start a new run: muniment run start",
  run_waiting: "a human resumes it, or start a new run: muniment run start",
  run_expired: "start a new run: muniment run start",
  goal_immutable: "start a new run with the other goal",
  cannot_resume: "start a new run: muniment run start",
  checkpoint_missing: "start a new run: muniment run start",
  idempotency_mismatch: "use another idempotency key",
  cap_too_small: "raise --tokens-max, or shorten what may not be dropped",
  too_large: "send less at once",
  on_hold:
    "see the holds with `muniment hold list --tenant TENANT`, and release what no longer needs one",
  erased: "nothing is left of it: something new goes under a new idempotency key and a new source",
  rate_limited: "wait a moment and try again",
  unavailable: "put that right and try again; muniment doctor checks the rest",
  internal: "set MUNIMENT_LOG_LEVEL=debug to see where it happened",
} as const satisfies Record<ErrorKind, string>;

export interface Failure {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly field?: string;
  readonly next_step: string;
}

export function failureOf(thrown: unknown): Failure {
  const error = heldBy(thrown)?.refusal ?? thrown;
  if (error instanceof MunimentError) {
    const { kind, message, field, nextStep = NEXT_STEP[kind] } = error;
    return { kind, message, ...(field && { field }), next_step: nextStep };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "internal", message, next_step: NEXT_STEP.internal };
}
