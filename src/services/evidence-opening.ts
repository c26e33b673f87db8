import type { TurnId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import { spell } from "../recall/fold.js";
import type { Hit } from "../recall/subject-index.js";
import { type EvidenceRow, listEvidence } from "../storage/queries/turn-list-evidence.js";
import type { Transaction } from "../storage/store.js";
import { quotedBy, type RecallNarrowing } from "./recall-filter.js";
import type { Services } from "./services.js";
import { type OpenTurn, openTurns, sourceIdOf } from "./turn-reading.js";

export interface FoundTurn {
  readonly turn: OpenTurn;
  readonly sourceId: string | null;
  /** When it stops being evidence. */
  readonly until: Date;
  readonly hit: Hit;
  /** How often the same person said the same further down: it is no more sure for that. */
  readonly repeats: number;
}

/** Whose turns are opened, and what for. */
export interface EvidenceOpening {
  readonly permit: Permit;
  readonly key: SubjectKey;
  readonly asked: RecallNarrowing;
}

/** Hits that may fall away once they are opened. */
export function spareOf(asked: RecallNarrowing): number {
  return quotedBy(asked) === null ? LIMITS.recallRepeatsMax : LIMITS.phraseCandidatesMax;
}

/**
 * The hits that are surely opened: as many different ones as asked for, and what may say one of them again. More are
 * needed only where one of them falls away.
 */
export function likelyShown(hits: readonly Hit[], asked: RecallNarrowing): readonly Hit[] {
  if (quotedBy(asked) !== null) return hits;
  const ranked = new Set<string>();
  return hits.filter((hit) => {
    const as = rankedAs(hit);
    if (ranked.size < asked.limit) ranked.add(as);
    return ranked.has(as);
  });
}

/** Opens the best of the hits. What of them `evidence` lacks is fetched: that is seldom, and a round trip. */
export async function openBest(
  services: Services,
  tx: Transaction,
  search: EvidenceOpening,
  hits: readonly Hit[],
  evidence: readonly EvidenceRow[],
): Promise<readonly FoundTurn[]> {
  const rows = new Map(evidence.map((row) => [row.turnId, row]));
  const likely = likelyShown(hits, search.asked);
  await fetchMissing(tx, search, likely, rows);
  const turns = open(services, search, hits, rows);
  if (turns.length === search.asked.limit || likely.length === hits.length) return turns;
  await fetchMissing(tx, search, hits, rows);
  return open(services, search, hits, rows);
}

/** One round trip where one of them isn't there yet, none otherwise. */
async function fetchMissing(
  tx: Transaction,
  { permit }: EvidenceOpening,
  hits: readonly Hit[],
  rows: Map<TurnId, EvidenceRow>,
): Promise<void> {
  const ids = hits.map((hit) => hit.id).filter((id) => !rows.has(id));
  if (ids.length === 0) return;
  const [more] = await tx.send([listEvidence(permit, { ids, newerThan: 0, newerMax: 0 })]);
  for (const row of more) rows.set(row.turnId, row);
}

/**
 * Opens what is shown, in the order of its rank, each text once for each voice; further down only what may be one of them
 * again. A row that the statement didn't give back isn't shown.
 */
function open(
  { onAlarm }: Services,
  { key, asked }: EvidenceOpening,
  hits: readonly Hit[],
  rows: ReadonlyMap<TurnId, EvidenceRow>,
): readonly FoundTurn[] {
  const first = new Map<string, FoundTurn>();
  const ranked = new Set<string>();
  const speakers = new Map<string, string>();
  const says = quotedBy(asked);
  for (const hit of hits) {
    const isFull = first.size >= asked.limit;
    const row = rows.get(hit.id);
    if (row === undefined || (isFull && !ranked.has(rankedAs(hit)))) continue;
    const [turn] = openTurns([row], key, onAlarm, speakers);
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
