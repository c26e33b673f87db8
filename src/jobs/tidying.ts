import type { Clock } from "../domain/clock.js";
import { LIMITS } from "../domain/limits.js";
import type { Queue } from "./queue.js";

/**
 * Keeps a queue tidy by a clock, however long a look into it lasts: under steady work, or beside a question that isn't answered,
 * a look has no end.
 */
export class Tidying {
  readonly #queue: Pick<Queue, "tidy">;
  readonly #clock: Clock;
  #lastAt: number | null = null;

  constructor(queue: Pick<Queue, "tidy">, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
  }

  async whenDue(): Promise<void> {
    const now = this.#clock.now().getTime();
    // A clock that was set back counts too: it mustn't put the next time off by as much.
    const isDue =
      this.#lastAt === null || Math.abs(now - this.#lastAt) >= LIMITS.workTidySeconds * 1_000;
    if (!isDue) return;
    // First, so that what fails is left alone until the next time.
    this.#lastAt = now;
    await this.#queue.tidy();
  }
}
