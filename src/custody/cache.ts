import { LRUCache } from "lru-cache";
import type { Clock } from "../domain/clock.js";
import { LIMITS } from "../domain/limits.js";

const SWEEP_MS = 1_000;
/** A sweep can be this late, and a key shall not be in memory longer than the limit. */
const AGE_MS_MAX = LIMITS.keySecondsMax * 1_000 - SWEEP_MS;

interface Entry<K> {
  readonly key: K;
  readonly loadedAt: number;
}

/**
 * Unwrapped keys for a while. One load at a time per name; an absent key is not remembered.
 * INVARIANT: a load that began before `forget` never enters the cache after it.
 */
export class KeyCache<K extends object> {
  readonly #clock: Clock;
  readonly #entries = new LRUCache<string, Entry<K>>({ max: LIMITS.cacheEntriesMax });
  readonly #loads = new Map<string, Promise<K | null>>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  /** The cached key, or what `load` finds. */
  async get(name: string, load: () => Promise<K | null>): Promise<K | null> {
    const entry = this.#entries.get(name);
    if (entry !== undefined && this.#isFresh(entry)) return entry.key;
    for (
      let running = this.#loads.get(name);
      running !== undefined;
      running = this.#loads.get(name)
    ) {
      const key = await running;
      // An absence may be older than this call: the key can have been made since that load began.
      if (key !== null) return key;
    }
    const loadedAt = this.#clock.now().getTime();
    const running = load();
    this.#loads.set(name, running);
    try {
      const key = await running;
      if (key !== null && this.#loads.get(name) === running)
        this.#entries.set(name, { key, loadedAt });
      return key;
    } finally {
      if (this.#loads.get(name) === running) this.#loads.delete(name);
    }
  }

  forget(name: string): void {
    this.#entries.delete(name);
    this.#loads.delete(name);
  }

  close(): void {
    clearInterval(this.#sweeper);
    this.#entries.clear();
    this.#loads.clear();
  }

  #isFresh({ loadedAt }: Entry<K>): boolean {
    const age = this.#clock.now().getTime() - loadedAt;
    // A clock that was set back says nothing about the age.
    return age >= 0 && age < AGE_MS_MAX;
  }

  #sweep(): void {
    for (const [name, entry] of this.#entries.entries())
      if (!this.#isFresh(entry)) this.#entries.delete(name);
  }
}
