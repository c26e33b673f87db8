import { LIMITS } from "../domain/limits.js";
import { pause } from "./pause.js";
import type { Unanswered } from "./unanswered.js";

/** A job's place. Who holds it says when it waits for somebody else, which costs this process nothing. */
export interface Place {
  /** Waits for an answer: others may work meanwhile. */
  whileAway<Result>(ask: () => Promise<Result>): Promise<Result>;
  /** What it asked didn't answer. */
  unanswered(): void;
}

interface Held {
  readonly tenant: string;
  isAway: boolean;
}

/**
 * Which jobs a process works on at once. Those that wait for a model's answer don't keep others from working, and a tenant whose
 * questions aren't answered holds one: so it takes many tenants, none of which is answered, to keep one waiting.
 */
export class Places {
  readonly #unanswered: Unanswered;
  readonly #underWay = new Map<Promise<void>, Held>();
  readonly #faults: unknown[] = [];
  #look = new AbortController();

  constructor(unanswered: Unanswered) {
    this.#unanswered = unanswered;
  }

  get isEmpty(): boolean {
    return this.#underWay.size === 0;
  }

  get isFull(): boolean {
    const held = [...this.#underWay.values()];
    const working = held.filter(({ isAway }) => !isAway).length;
    return working >= LIMITS.workConcurrency || held.length >= LIMITS.workHeldMax;
  }

  /** Tenants that have as many places as they may. */
  fullTenants(): readonly string[] {
    const tenants = [...this.#underWay.values()].map(({ tenant }) => tenant);
    const countOf = (tenant: string) => tenants.filter((one) => one === tenant).length;
    return [...new Set(tenants)].filter((one) => countOf(one) >= this.#mostOf(one));
  }

  give(tenant: string, work: (place: Place) => Promise<void>): void {
    const held: Held = { tenant, isAway: false };
    const job = work(this.#placeOf(held))
      .catch((fault: unknown) => void this.#faults.push(fault))
      .finally(() => this.#underWay.delete(job));
    this.#underWay.set(job, held);
  }

  /** Until a job ends or begins to wait, or it is time to look again. */
  async change(): Promise<void> {
    this.#look = new AbortController();
    const { signal } = this.#look;
    await Promise.race([...this.#underWay.keys(), pause(LIMITS.workPollMs, signal)]);
    this.#look.abort();
  }

  /** Until all have ended. Throws the first fault: one job's keeps no other waiting. */
  async end(): Promise<void> {
    await Promise.all(this.#underWay.keys());
    if (this.#faults.length > 0) throw this.#faults[0];
  }

  #placeOf(held: Held): Place {
    return {
      whileAway: async (ask) => {
        held.isAway = true;
        this.#look.abort();
        try {
          return await ask();
        } finally {
          held.isAway = false;
        }
      },
      unanswered: () => this.#unanswered.note(held.tenant),
    };
  }

  #mostOf(tenant: string): number {
    return this.#unanswered.isRecent(tenant) ? 1 : LIMITS.workPerTenantMax;
  }
}
