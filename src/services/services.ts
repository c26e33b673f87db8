import type { LRUCache } from "lru-cache";
import type { Clock } from "../domain/clock.js";
import type { DigestSource } from "../domain/digest.js";
import type { Keyring } from "../domain/keyring.js";
import type { Pin } from "../domain/pin.js";
import type { Retention } from "../domain/retention.js";
import type { Policy } from "../policy/enforce.js";
import type { IndexCache } from "../recall/index-cache.js";
import type { SessionRow } from "../storage/queries/session-find.js";
import type { SubjectRow } from "../storage/queries/subject-find-by-lookup.js";
import type { Directory, OnAlarm, Store } from "../storage/store.js";

/** In-process copies of immutable rows, bounded. Each is asserted again in the statement that relies on it. */
export interface Caches {
  readonly pins: LRUCache<string, Pin>;
  readonly subjects: LRUCache<string, SubjectRow>;
  /** With the active run as it was: a hint that its reader checks. */
  readonly sessions: LRUCache<string, SessionRow>;
  /** Speakers of a subject whose names are kept already, by their look-ups. */
  readonly speakers: LRUCache<string, true>;
}

/** What every use case works with. Put together by `compose/` alone. */
export interface Services {
  readonly store: Store;
  readonly directory: Directory;
  readonly policy: Policy;
  readonly keyring: Keyring;
  readonly indexes: IndexCache;
  readonly caches: Caches;
  readonly clock: Clock;
  readonly onAlarm: OnAlarm;
  readonly retention: Retention;
  /** What a session came to: a model's answer, not yet believed, or quotes where there is none. */
  readonly digest: (source: DigestSource) => Promise<unknown>;
  /** Tokens of a text as the model counts them. */
  readonly countTokens: (text: string) => number;
}
