import { LRUCache } from "lru-cache";
import { LIMITS } from "../domain/limits.js";

/** Versions of keys that rows named and this process didn't know, as long as a key is remembered: custody was asked for them. */
export class MetVersions {
  readonly #byName = new LRUCache<string, readonly number[]>({
    max: LIMITS.cacheEntriesMax,
    ttl: LIMITS.keySecondsMax * 1_000,
  });

  add(name: string, version: number): void {
    const others = [...this.of(name)].filter((other) => other !== version);
    this.#byName.set(name, [...others, version].slice(-LIMITS.keyVersionsMax));
  }

  of(name: string): ReadonlySet<number> {
    return new Set(this.#byName.get(name));
  }
}
