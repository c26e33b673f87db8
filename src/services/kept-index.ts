import { notFound } from "../domain/errors.js";
import type { SubjectKey } from "../domain/keyring.js";
import type { Permit } from "../domain/permit.js";
import type { Indexed, IndexOwner, IndexVersion } from "../recall/index-cache.js";
import type { SubjectIndex } from "../recall/subject-index.js";
import type { SubjectRevision } from "../storage/queries/subject-read.js";
import { subjectScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";
import type { Transaction } from "../storage/store.js";
import type { Services } from "./services.js";

/** In whose name and with what key an index is filled and caught up. */
export interface IndexReading {
  readonly services: Services;
  readonly tx: Transaction;
  readonly permit: Permit;
  readonly key: SubjectKey;
}

/** One kind of memory that is kept indexed, one index a subject. */
export interface KeptKind<Row> {
  readonly kind: Indexed;
  /** Rows that one statement fetches at most. */
  readonly rowsMax: number;
  /** What was written later than a revision of the subject, newest first: what an index lacks. */
  readonly listNewer: (permit: Permit, afterRevision: number, limit: number) => Statement<Row>;
  readonly takeIn: (
    reading: IndexReading,
    index: SubjectIndex,
    newestFirst: readonly Row[],
  ) => Promise<void>;
  /** The index where none is in memory. */
  readonly fill: (reading: IndexReading) => Promise<SubjectIndex>;
}

export function ownerOf(permit: Permit, kind: Indexed): IndexOwner {
  const { tenant, subject } = subjectScope(permit);
  return { tenant, subject, kind };
}

/**
 * The index that is in memory, else the one made by whoever came first where several ask at once: a first guess, which
 * `catchUp` checks.
 */
export async function guessIndex<Row>(
  reading: IndexReading,
  { kind, fill }: KeptKind<Row>,
): Promise<SubjectIndex> {
  const { indexes } = reading.services;
  const owner = ownerOf(reading.permit, kind);
  return indexes.peek(owner)?.index ?? (await indexes.filling(owner, () => fill(reading)));
}

/** What the database said in one flush: where the subject stands, then what the guessed index lacks. */
export interface Newer<Row> {
  readonly subject: SubjectRevision | undefined;
  readonly rows: readonly Row[];
}

export interface CaughtUp {
  readonly index: SubjectIndex;
  /** What the guess ranked still stands. */
  readonly isAsGuessed: boolean;
}

/** Brings an index to where the subject stands in this transaction. One of another key or purge revision is made anew. */
export async function catchUp<Row>(
  reading: IndexReading,
  { kind, rowsMax, listNewer, takeIn, fill }: KeptKind<Row>,
  guess: SubjectIndex,
  { subject, rows }: Newer<Row>,
): Promise<CaughtUp> {
  const { services, tx, permit } = reading;
  if (subject === undefined) throw notFound();
  const owner = ownerOf(permit, kind);
  const version = versionOf(permit, subject);
  const index = services.indexes.get(owner, version) ?? (await fill(reading));
  // What was fetched is what the guessed index lacked: one that stands in its place by now may lack more.
  const missed =
    index === guess ? rows : (await tx.send([listNewer(permit, index.revision, rowsMax)]))[0];
  index.truncated ||= missed.length === rowsMax;
  await takeIn(reading, index, missed);
  index.dropExpired(permit.scope.now);
  index.stillness.saw(index.revision === subject.revision);
  index.revision = Math.max(index.revision, subject.revision);
  services.indexes.put(owner, version, index);
  const isAsGuessed = index === guess && missed.length === 0;
  return { index, isAsGuessed };
}

export function versionOf(permit: Permit, { purgeRevision }: SubjectRevision): IndexVersion {
  return { keyId: subjectScope(permit).keyId, purgeRevision };
}
