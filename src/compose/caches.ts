import { LRUCache } from "lru-cache";
import { LIMITS } from "../domain/limits.js";
import type { Caches } from "../services/services.js";

/** A cached subject or session is looked up again after this long: the bound after which another process's change is seen. */
const CACHE_MS = LIMITS.keySecondsMax * 1_000;

export function createCaches(): Caches {
  const bounds = { max: LIMITS.cacheEntriesMax };
  return {
    pins: new LRUCache(bounds),
    subjects: new LRUCache({ ...bounds, ttl: CACHE_MS }),
    fields: new LRUCache({ ...bounds, ttl: CACHE_MS }),
    candidates: new LRUCache({ ...bounds, ttl: CACHE_MS }),
    sessions: new LRUCache({ ...bounds, ttl: CACHE_MS }),
    speakers: new LRUCache(bounds),
    sealedAnew: new LRUCache(bounds),
  };
}
