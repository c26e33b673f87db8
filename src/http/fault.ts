import { MunimentError } from "../domain/errors.js";

const CAUSES_MAX = 5;
const FRAMES_MAX = 20;
const WORD = /^[A-Za-z0-9_.]{1,64}$/;

/** Properties that libraries give their errors and that name a rule: never a value. */
const RULES = ["code", "constraint", "claim"] as const;

/** A thrown value for the operator's log. INVARIANT: nothing in it can repeat input or a row. */
export interface Fault extends Partial<Readonly<Record<(typeof RULES)[number], string>>> {
  readonly name: string;
  readonly message?: string;
  /** Places in the code. */
  readonly frames?: readonly string[];
  readonly cause?: Fault;
}

/**
 * Describes an error by its names and places in the code. Messages of other people's errors, details and parameters of
 * a database error may hold values, so they are left out; our own messages never do.
 */
export function describeFault(
  error: unknown,
  withFrames = true,
  depth: number = CAUSES_MAX,
): Fault {
  if (!(error instanceof Error)) return { name: typeof error };
  const known = error as Error & Partial<Readonly<Record<string, unknown>>>;
  const rules = RULES.map((rule) => [rule, known[rule]]).filter(([, value]) => isWord(value));
  const frames = withFrames ? framesOf(error) : [];
  return {
    name: isWord(error.name) ? error.name : "Error",
    ...(error instanceof MunimentError ? { message: error.message } : {}),
    ...(Object.fromEntries(rules) as Partial<Fault>),
    ...(frames.length > 0 ? { frames } : {}),
    ...(error.cause === undefined || depth <= 1
      ? {}
      : { cause: describeFault(error.cause, withFrames, depth - 1) }),
  };
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && WORD.test(value);
}

/** A stack begins with the message as it was when the error was made: both must match. */
function framesOf({ stack = "", message }: Error): readonly string[] {
  const at = stack.indexOf(message);
  if (at < 0 || stack.slice(0, at).includes("\n")) return [];
  return stack
    .slice(at + message.length)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("at "))
    .slice(0, FRAMES_MAX);
}
