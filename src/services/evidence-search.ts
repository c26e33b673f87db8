import { LIMITS } from "../domain/limits.js";
import type { Coverage } from "../recall/outcome.js";
import type { SearchResult } from "../recall/search-result.js";
import type { SubjectIndex } from "../recall/subject-index.js";
import type { Vector } from "../recall/vector.js";
import { shareSubject } from "../storage/queries/subject-read.js";
import { type EvidenceWanted, listEvidence } from "../storage/queries/turn-list-evidence.js";
import type { Statement } from "../storage/sql.js";
import type { RowsOf, Transaction } from "../storage/store.js";
import {
  type EvidenceOpening,
  type FoundTurn,
  likelyShown,
  openBest,
  spareOf,
} from "./evidence-opening.js";
import { TURNS } from "./index-filling.js";
import { catchUp, guessIndex } from "./kept-index.js";
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
  const { permit } = search;
  const reading = { services, tx, permit, key: search.key };
  const kept = await guessIndex(reading, TURNS);
  await catchUpVectors(reading, kept, search.meaning);
  const guess = rankTurns(kept, search);
  const [[subject], rows, evidence, ...rest] = await tx.send([
    shareSubject(permit),
    TURNS.listNewer(permit, kept.revision, TURNS.rowsMax),
    listEvidence(permit, guessed(kept, guess, search.asked)),
    ...beside,
  ]);
  const { index, isAsGuessed } = await catchUp(reading, TURNS, kept, { subject, rows });
  if (index !== kept) await catchUpVectors(reading, index, search.meaning);
  const result = isAsGuessed ? guess : rankTurns(index, search);
  const turns = await openBest(services, tx, search, result.hits, evidence);
  return [foundOf(index, result, turns), rest as unknown as RowsOf<S>];
}

export function foundOf(
  index: SubjectIndex,
  result: SearchResult,
  turns: readonly FoundTurn[],
): Found {
  return {
    turns,
    outcome: turns.length > 0 ? "matches" : "no_matches",
    coverage: coverageOf(index, result),
    fallback: result.fallback,
    fit: result.fit,
  };
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

export function rankTurns(
  index: SubjectIndex,
  { permit, asked, meaning }: EvidenceSearch,
): SearchResult {
  const filter = { ...recallFilter(permit, asked, spareOf(asked)), eachOnce: true };
  return index.search(askedOf(asked, meaning), filter);
}

function coverageOf(index: SubjectIndex, { coverage, hits }: SearchResult): Coverage {
  const isCut = hits.length >= LIMITS.phraseCandidatesMax;
  return { ...coverage, capped: coverage.capped || index.truncated || isCut };
}
