import { LRUCache } from "lru-cache";
import type { Clock } from "../domain/clock.js";
import type { KeyId, SubjectId, TenantId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { SubjectIndex } from "./subject-index.js";

/** State of the subject row that an index is built under. Another key or purge revision makes the index worthless. */
export interface IndexVersion {
  readonly keyId: KeyId;
  readonly purgeRevision: number;
}

export interface IndexCacheStats {
  readonly entries: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
  /** Indexes dropped because key or purge revision had moved on. */
  readonly purged: number;
}

interface Entry {
  readonly index: SubjectIndex;
  readonly version: IndexVersion;
}

/** Bounded by bytes and by idle time: an index holds terms in clear, so it doesn't outlive its use. */
export class IndexCache {
  readonly #entries: LRUCache<string, Entry>;
  #hits = 0;
  #misses = 0;
  #purged = 0;

  constructor(clock: Clock, bytesMax: number = LIMITS.indexBytesMax) {
    this.#entries = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: (entry) => Math.max(1, entry.index.bytes),
      ttl: LIMITS.indexIdleSeconds * 1_000,
      ttlResolution: 0,
      // Also in a process that nobody asks for anything any more.
      ttlAutopurge: true,
      updateAgeOnGet: true,
      perf: { now: () => clock.now().getTime() },
    });
  }

  /** The index, or null where there is none of this version; one of another version is dropped. */
  get(tenant: TenantId, subject: SubjectId, version: IndexVersion): SubjectIndex | null {
    this.#entries.purgeStale();
    const key = cacheKey(tenant, subject);
    const entry = this.#entries.get(key);
    if (entry !== undefined && !isSame(entry.version, version)) {
      this.#entries.delete(key);
      this.#purged += 1;
    } else if (entry !== undefined) {
      this.#hits += 1;
      return entry.index;
    }
    this.#misses += 1;
    return null;
  }

  /** The index of whatever version, for a first guess that is checked against the subject's row afterwards. */
  peek(tenant: TenantId, subject: SubjectId): SubjectIndex | null {
    return this.#entries.peek(cacheKey(tenant, subject))?.index ?? null;
  }

  /** Keeps an index. Call it again after catching one up, so that its new size counts. */
  put(tenant: TenantId, subject: SubjectId, version: IndexVersion, index: SubjectIndex): void {
    this.#entries.set(cacheKey(tenant, subject), { index, version });
  }

  drop(tenant: TenantId, subject: SubjectId): void {
    this.#entries.delete(cacheKey(tenant, subject));
  }

  /** Lets go of all of them. */
  close(): void {
    this.#entries.clear();
  }

  stats(): IndexCacheStats {
    return {
      entries: this.#entries.size,
      bytes: this.#entries.calculatedSize,
      hits: this.#hits,
      misses: this.#misses,
      purged: this.#purged,
    };
  }
}

function cacheKey(tenant: TenantId, subject: SubjectId): string {
  return `${tenant}/${subject}`;
}

function isSame(a: IndexVersion, b: IndexVersion): boolean {
  return a.keyId === b.keyId && a.purgeRevision === b.purgeRevision;
}
