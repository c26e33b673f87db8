import { notFound } from "../domain/errors.js";
import type { TurnId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import { spell } from "../recall/fold.js";
import type { Coverage } from "../recall/outcome.js";
import type { Hit, SearchResult, SubjectIndex } from "../recall/subject-index.js";
import type { Vector } from "../recall/vector.js";
import { readSubject } from "../storage/queries/subject-read.js";
import {
  type EvidenceRow,
  type EvidenceWanted,
  listEvidence,
} from "../storage/queries/turn-list-evidence.js";
import { listTermsAfterRevision } from "../storage/queries/turn-list-terms.js";
import type { Statement } from "../storage/sql.js";
import type { RowsOf, Transaction } from "../storage/store.js";
import { fillIndex, joinFilling, takeIn } from "./index-filling.js";
import { askedOf, quotedBy, type RecallNarrowing, recallFilter } from "./recall-filter.js";
import type { Services } from "./services.js";
import { type OpenTurn, openTurns, sourceIdOf } from "./turn-reading.js";
import { catchUpVectors } from "./vector-reading.js";

export interface FoundTurn {
  readonly turn: OpenTurn;
  readonly sourceId: string | null;
  /** When it stops being evidence. */
  readonly until: Date;
  readonly hit: Hit;
  /** How often the same person said the same further down: it is no more sure for that. */
  readonly repeats: number;
}

export interface Found {
  readonly turns: readonly FoundTurn[];
  readonly outcome: "matches" | "no_matches";
  readonly coverage: Coverage;
  readonly fallback: SearchResult["fallback"];
  readonly fit: SearchResult["fit"];
}

export interface EvidenceSearch {
  readonly permit: Permit;
  readonly pin: Pin;
  readonly key: SubjectKey;
  readonly asked: RecallNarrowing;
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
    listEvidence(permit, guessed(kept, guess)),
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
  const rows = await withMissing(tx, permit, result.hits, evidence);
  const turns = open(services, search, result.hits, rows);
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
function guessed({ revision }: SubjectIndex, { hits }: SearchResult): EvidenceWanted {
  return { ids: hits.map((hit) => hit.id), newerThan: revision, newerMax: NEWER_MAX };
}

function rank(index: SubjectIndex, { permit, asked, meaning }: EvidenceSearch): SearchResult {
  return index.search(askedOf(asked, meaning), recallFilter(permit, asked, spareOf(asked)));
}

/** Hits that may fall away once they are opened. */
function spareOf(asked: RecallNarrowing): number {
  return quotedBy(asked) === null ? LIMITS.recallRepeatsMax : LIMITS.phraseCandidatesMax;
}

function coverageOf(index: SubjectIndex, { coverage, hits }: SearchResult): Coverage {
  const isCut = hits.length >= LIMITS.phraseCandidatesMax;
  return { ...coverage, capped: coverage.capped || index.truncated || isCut };
}

async function withMissing(
  tx: Transaction,
  permit: Permit,
  hits: readonly Hit[],
  rows: readonly EvidenceRow[],
): Promise<ReadonlyMap<TurnId, EvidenceRow>> {
  const byId = new Map(rows.map((row) => [row.turnId, row]));
  const missing = hits.map((hit) => hit.id).filter((id) => !byId.has(id));
  if (missing.length === 0) return byId;
  const [more] = await tx.send([listEvidence(permit, { ids: missing, newerThan: 0, newerMax: 0 })]);
  for (const row of more) byId.set(row.turnId, row);
  return byId;
}

/**
 * Opens what is shown, in the order of its rank, each text once for each voice; further down only what may be one of them
 * again. A row that the statement didn't give back isn't shown.
 */
function open(
  { onAlarm }: Services,
  { key, asked }: EvidenceSearch,
  hits: readonly Hit[],
  rows: ReadonlyMap<TurnId, EvidenceRow>,
): readonly FoundTurn[] {
  const first = new Map<string, FoundTurn>();
  const ranked = new Set<string>();
  const says = quotedBy(asked);
  for (const hit of hits) {
    const isFull = first.size >= asked.limit;
    const row = rows.get(hit.id);
    if (row === undefined || (isFull && !ranked.has(rankedAs(hit)))) continue;
    const [turn] = openTurns([row], key, onAlarm);
    if (turn === undefined || says?.(turn.content.text) === false) continue;
    const same = saidBy(turn);
    const known = first.get(same);
    if (known !== undefined) first.set(same, { ...known, repeats: known.repeats + 1 });
    if (known !== undefined || isFull) continue;
    ranked.add(rankedAs(hit));
    const sourceId = sourceIdOf(row, key, onAlarm);
    first.set(same, { turn, hit, sourceId, until: row.expiresAt, repeats: 0 });
  }
  return [...first.values()];
}

/** The same for two turns that say the same in one voice, unless the question names the day of one of them. */
function rankedAs({ parts: { words, speaker, asking, authority } }: Hit): string {
  return JSON.stringify([words, speaker, asking, authority]);
}

/** The same for two turns in one voice that say the same, word for word. */
function saidBy({ role, speaker, content }: OpenTurn): string {
  return JSON.stringify([role, speaker, spell(content.text).split(/\s+/)]);
}
