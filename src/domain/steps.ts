/** Work that may take long in parts that don't: whoever does it may look around after each. */
export type Steps<Result> = Generator<void, Result, void>;

/** Milliseconds that work holds a process for before others have their turn. */
const HELD_MS_MAX = 10;

/**
 * Does work and gives way to others in between: a service answers no request while a long text is gone through in one go. The one
 * place here that knows a clock and the queue of the process: models, services and what composes them share nothing else.
 */
export async function givingWay<Result>(
  steps: Steps<Result>,
  now: () => number = () => performance.now(),
): Promise<Result> {
  for (let since = now(); ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (now() - since < HELD_MS_MAX) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    since = now();
  }
}

/** The same where nobody else waits, or the work is small. */
export function inOneGo<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
