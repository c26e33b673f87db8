import { notFound } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { Pin } from "../domain/pin.js";
import type { Coverage } from "../recall/outcome.js";
import type { SearchResult, SubjectIndex } from "../recall/subject-index.js";
import type { Vector } from "../recall/vector.js";
import { readSubject } from "../storage/queries/subject-read.js";
import { type EvidenceWanted, listEvidence } from "../storage/queries/turn-list-evidence.js";
import { listTermsAfterRevision } from "../storage/queries/turn-list-terms.js";
import type { Statement } from "../storage/sql.js";
import type { RowsOf, Transaction } from "../storage/store.js";
import {
  type EvidenceOpening,
  type FoundTurn,
  likelyShown,
  openBest,
  spareOf,
} from "./evidence-opening.js";
import { fillIndex, joinFilling, takeIn } from "./index-filling.js";
import { askedOf, type RecallNarrowing, recallFilter } from "./recall-filter.js";
import type { Services } from "./services.js";
import { catchUpVectors } from "./vector-reading.js";

export interface Found {
  readonly turns: readonly FoundTurn[];
  readonly outcome: "matches" | "no_matches";
  readonly coverage: Coverage;
  readonly fallback: SearchResult["fallback"];
  readonly fit: SearchResult["fit"];
}

export interface EvidenceSearch extends EvidenceOpening {
  readonly pin: Pin;
  /** What the question means; null where words alone decide. */
  readonly meaning: Vector | null;
}

/** Turns that were said since the last recall and are fetched with the guess: a few turns of an agent. */
const NEWER_MAX = 16;

/**
 * Searches the subject's turns as evidence, inside the permit's workspace and routes.
 *
 * A warm index costs one round trip: what it ranks best is fetched together with the rows that it lacks, and ranked again
 * where there are any. A cold one is filled first. `beside` are the caller's own statements, sent along.
 */
export async function searchEvidence<const S extends readonly Statement[]>(
  services: Services,
  tx: Transaction,
  search: EvidenceSearch,
  beside: S,
): Promise<readonly [Found, RowsOf<S>]> {
  const { permit, pin } = search;
  const reading = { services, tx, permit, key: search.key };
  const kept = services.indexes.peek(pin.tenant, pin.subject) ?? (await joinFilling(reading));
  await catchUpVectors(reading, kept, search.meaning);
  const guess = rank(kept, search);
  const [[subject], fresh, evidence, ...rest] = await tx.send([
    readSubject(permit),
    listTermsAfterRevision(permit, kept.revision, LIMITS.indexTurnsMax),
    listEvidence(permit, guessed(kept, guess, search.asked)),
    ...beside,
  ]);
  if (subject === undefined) throw notFound();
  const version = { keyId: pin.keyId, purgeRevision: subject.purgeRevision };
  const index =
    services.indexes.get(pin.tenant, pin.subject, version) ?? (await fillIndex(reading));
  // What was fetched is what the guessed index lacked: one that stands in its place by now may lack more.
  const missed =
    index === kept
      ? fresh
      : (await tx.send([listTermsAfterRevision(permit, index.revision, LIMITS.indexTurnsMax)]))[0];
  index.truncated ||= missed.length === LIMITS.indexTurnsMax;
  await takeIn(reading, index, missed);
  if (index !== kept) await catchUpVectors(reading, index, search.meaning);
  index.dropExpired(permit.scope.now);
  index.revision = Math.max(index.revision, subject.revision);
  services.indexes.put(pin.tenant, pin.subject, version, index);
  const result = index === kept && missed.length === 0 ? guess : rank(index, search);
  const turns = await openBest(services, tx, search, result.hits, evidence);
  const found: Found = {
    turns,
    outcome: turns.length > 0 ? "matches" : "no_matches",
    coverage: coverageOf(index, result),
    fallback: result.fallback,
    fit: result.fit,
  };
  return [found, rest as unknown as RowsOf<S>];
}

/** What a warm index would show, and what was said since it was last caught up: a conversation's newest turns rank high. */
function guessed(
  { revision }: SubjectIndex,
  { hits }: SearchResult,
  asked: RecallNarrowing,
): EvidenceWanted {
  const ids = likelyShown(hits, asked).map((hit) => hit.id);
  return { ids, newerThan: revision, newerMax: NEWER_MAX };
}

function rank(index: SubjectIndex, { permit, asked, meaning }: EvidenceSearch): SearchResult {
  return index.search(askedOf(asked, meaning), recallFilter(permit, asked, spareOf(asked)));
}

function coverageOf(index: SubjectIndex, { coverage, hits }: SearchResult): Coverage {
  const isCut = hits.length >= LIMITS.phraseCandidatesMax;
  return { ...coverage, capped: coverage.capped || index.truncated || isCut };
}
