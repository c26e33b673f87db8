import type { LRUCache } from "lru-cache";
import type { Clock } from "../domain/clock.js";
import type { Cues } from "../domain/cues.js";
import type { Digester } from "../domain/digest.js";
import type { Embedder } from "../domain/embedder.js";
import type { Keyring } from "../domain/keyring.js";
import type { Observer } from "../domain/observation.js";
import type { Pin } from "../domain/pin.js";
import type { Projection } from "../domain/projection.js";
import type { Retention } from "../domain/retention.js";
import type { Consolidator } from "../domain/user-model.js";
import type { JobFault } from "../domain/work.js";
import type { Policy } from "../policy/enforce.js";
import type { IndexCache } from "../recall/index-cache.js";
import type { CandidateRow } from "../storage/queries/candidate-find.js";
import type { FieldRow } from "../storage/queries/field-find.js";
import type { SessionRow } from "../storage/queries/session-find.js";
import type { SubjectRow } from "../storage/queries/subject-find-by-lookup.js";
import type { Directory, OnAlarm, Store } from "../storage/store.js";
import type { Retrieval } from "./retrieval.js";
import type { StoredFiles } from "./stored-files.js";
import type { SystemOfRecord } from "./system-of-record.js";

/** In-process copies of immutable rows, bounded. Each is asserted again in the statement that relies on it. */
export interface Caches {
  readonly pins: LRUCache<string, Pin>;
  readonly subjects: LRUCache<string, SubjectRow>;
  /** By field and version, and the latest one as it was: a hint that its reader's statement checks. */
  readonly fields: LRUCache<string, FieldRow>;
  /** What never changes of a candidate: whether it still waits is its decider's statement to say. */
  readonly candidates: LRUCache<string, CandidateRow>;
  /** With the active run as it was: a hint that its reader checks. */
  readonly sessions: LRUCache<string, SessionRow>;
  /** Speakers of a subject whose names are kept already, by their look-ups. */
  readonly speakers: LRUCache<string, true>;
  /** When nothing of a subject was left to seal anew, by subject and rotation. */
  readonly sealedAnew: LRUCache<string, Date>;
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
  /** How structured state is made of events. */
  readonly projections: readonly Projection[];
  /** What path 3 compares with; null where none is configured. */
  readonly systemOfRecord: SystemOfRecord | null;
  /** The way to corpora; null where none is configured. */
  readonly retrieval: Retrieval | null;
  readonly files: StoredFiles;
  readonly onAlarm: OnAlarm;
  /** Null where recall goes by words alone. */
  readonly embedder: Embedder | null;
  /** The embedder didn't answer, and words alone decided. */
  readonly onEmbedderFault: (cause: unknown) => void;
  /** A try of a job came to nothing. */
  readonly onJobFault: (fault: JobFault) => void;
  readonly retention: Retention;
  readonly digester: Digester;
  readonly consolidator: Consolidator;
  readonly observer: Observer;
  /** By what the built-in observer and its rules know what people say of themselves. */
  readonly cues: Cues;
  /** Tokens that a tenant's questions to a model may take in a day; null where the operator sets no bound. */
  readonly modelTokensPerDay: number | null;
  /** Tokens of a text as the model counts them. */
  readonly countTokens: (text: string) => number;
}
