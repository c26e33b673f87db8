import { LRUCache } from "lru-cache";
import type { Clock } from "../domain/clock.js";
import { type KeyId, type SubjectId, type TenantId, trustedId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { SubjectIndex } from "./subject-index.js";

/** State of the subject row that an index is built under. Another key or purge revision makes the index worthless. */
export interface IndexVersion {
  readonly keyId: KeyId;
  readonly purgeRevision: number;
}

/** What is kept indexed, one index each. */
const INDEXED = ["turn", "episode"] as const;
export type Indexed = (typeof INDEXED)[number];

/** What of whom an index holds. */
export interface IndexOwner {
  readonly tenant: TenantId;
  readonly subject: SubjectId;
  readonly kind: Indexed;
}

export interface IndexCacheStats {
  readonly entries: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
  /** Indexes that were filled from the database. */
  readonly filled: number;
  /** Indexes that made room for others. */
  readonly evicted: number;
  /** Indexes that nobody used for a while. */
  readonly expired: number;
  /** Indexes dropped because key or purge revision had moved on. */
  readonly purged: number;
}

/** An index in memory, and the version that it is of. */
export interface CachedIndex {
  readonly index: SubjectIndex;
  readonly version: IndexVersion;
}

/** Bounded by bytes and by idle time: an index holds terms in clear, so it doesn't outlive its use. */
export class IndexCache {
  readonly #entries: LRUCache<string, CachedIndex>;
  /** Those that are being filled. */
  readonly #fillings = new Map<string, Promise<SubjectIndex>>();
  #hits = 0;
  #misses = 0;
  #filled = 0;
  #evicted = 0;
  #expired = 0;
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
      dispose: (_index, _key, reason) => {
        if (reason === "evict") this.#evicted += 1;
        if (reason === "expire") this.#expired += 1;
      },
      perf: { now: () => clock.now().getTime() },
    });
  }

  /** The index, or null where there is none of this version; one of another version is dropped. */
  get(owner: IndexOwner, version: IndexVersion): SubjectIndex | null {
    this.#entries.purgeStale();
    const key = cacheKey(owner);
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
  peek(owner: IndexOwner): CachedIndex | null {
    return this.#entries.peek(cacheKey(owner)) ?? null;
  }

  /**
   * The index that somebody fills already, else the one that `fill` makes: many who come to a cold subject at once wait for
   * one filling. It may be of another version than the caller sees, like one that `peek` gives. Where a filling fails, the
   * next of those who wait does it.
   */
  async filling(owner: IndexOwner, fill: () => Promise<SubjectIndex>): Promise<SubjectIndex> {
    const key = cacheKey(owner);
    for (;;) {
      const underWay = this.#fillings.get(key);
      if (underWay === undefined) break;
      const [end] = await Promise.allSettled([underWay]);
      if (end.status === "fulfilled") return end.value;
    }
    const own = fill();
    this.#fillings.set(key, own);
    try {
      return await own;
    } finally {
      this.#fillings.delete(key);
    }
  }

  /** Keeps one that was filled just now. */
  putFilled(owner: IndexOwner, version: IndexVersion, index: SubjectIndex): void {
    this.#filled += 1;
    this.put(owner, version, index);
  }

  /** Keeps an index. Call it again after catching one up, so that its new size counts. */
  put(owner: IndexOwner, version: IndexVersion, index: SubjectIndex): void {
    this.#entries.set(cacheKey(owner), { index, version });
  }

  /** Something of the subject is being written. */
  stir(tenant: TenantId, subject: SubjectId): void {
    for (const kind of INDEXED)
      this.#entries.peek(cacheKey({ tenant, subject, kind }))?.index.stillness.stir();
  }

  /** Lets go of all that is indexed of a subject. */
  drop(tenant: TenantId, subject: SubjectId): void {
    for (const kind of INDEXED) this.#entries.delete(cacheKey({ tenant, subject, kind }));
  }

  /** How many indexes of a subject are in memory. */
  countOf(tenant: TenantId, subject: SubjectId): number {
    return INDEXED.filter((kind) => this.#entries.has(cacheKey({ tenant, subject, kind }))).length;
  }

  /** Subjects of a tenant of whom something is indexed. */
  subjectsOf(tenant: TenantId): readonly SubjectId[] {
    const owners = [...this.#entries.keys()].map((key) => key.split("/"));
    return owners.flatMap(([of, subject = ""]) =>
      of === tenant ? [trustedId<"SubjectId">(subject)] : [],
    );
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
      filled: this.#filled,
      evicted: this.#evicted,
      expired: this.#expired,
      purged: this.#purged,
    };
  }
}

function cacheKey({ tenant, subject, kind }: IndexOwner): string {
  return `${tenant}/${subject}/${kind}`;
}

function isSame(a: IndexVersion, b: IndexVersion): boolean {
  return a.keyId === b.keyId && a.purgeRevision === b.purgeRevision;
}
