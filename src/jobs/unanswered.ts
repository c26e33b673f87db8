import type { Clock } from "../domain/clock.js";
import { LIMITS } from "../domain/limits.js";

/** Tenants whose questions to a model weren't answered lately. Kept by whoever looks for jobs again and again. */
export class Unanswered {
  readonly #clock: Clock;
  readonly #at = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(tenant: string): void {
    this.#at.set(tenant, this.#clock.now().getTime());
  }

  isRecent(tenant: string): boolean {
    const at = this.#at.get(tenant);
    if (at === undefined) return false;
    const isRecent = this.#clock.now().getTime() - at < LIMITS.workUnansweredMinutes * 60_000;
    if (!isRecent) this.#at.delete(tenant);
    return isRecent;
  }
}
