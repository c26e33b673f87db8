import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { Hit } from "../recall/search-result.js";
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
}

/** Whose turns are opened, and what for. */
export interface EvidenceOpening {
  readonly permit: Permit;
  readonly key: SubjectKey;
  readonly asked: RecallNarrowing;
}

/** Hits that are looked at beyond those asked for: some may be gone by now, or not say what the question quotes. */
export function spareOf(asked: RecallNarrowing): number {
  return quotedBy(asked) === null ? LIMITS.recallSpareMax : LIMITS.phraseCandidatesMax;
}

/** The hits that are surely opened. */
export function likelyShown(hits: readonly Hit[], asked: RecallNarrowing): readonly Hit[] {
  return quotedBy(asked) === null ? hits.slice(0, asked.limit) : hits;
}

/** Opens the best of the hits. What of them `evidence` lacks is fetched: that is seldom, and a round trip. */
export async function openBest(
  services: Services,
  tx: Transaction,
  search: EvidenceOpening,
  hits: readonly Hit[],
  evidence: readonly EvidenceRow[],
): Promise<readonly FoundTurn[]> {
  const likely = likelyShown(hits, search.asked);
  const rows = await withMissing(tx, search, likely, evidence);
  const shown = openShown(services, search, likely, rows);
  if (shown.length === search.asked.limit || likely.length === hits.length) return shown;
  return openShown(services, search, hits, await withMissing(tx, search, hits, rows));
}

/** One round trip where one of them isn't there yet, none otherwise. */
async function withMissing(
  tx: Transaction,
  { permit }: EvidenceOpening,
  hits: readonly Hit[],
  rows: readonly EvidenceRow[],
): Promise<readonly EvidenceRow[]> {
  const known = new Set(rows.map((row) => row.turnId));
  const ids = hits.map((hit) => hit.id).filter((id) => !known.has(id));
  if (ids.length === 0) return rows;
  const [more] = await tx.send([listEvidence(permit, { ids, newerThan: 0, newerMax: 0 })]);
  return [...rows, ...more];
}

/** Opens what is shown, in the order of its rank. A row that the statement didn't give back isn't shown. */
export function openShown(
  { onAlarm }: Services,
  { key, asked }: EvidenceOpening,
  hits: readonly Hit[],
  evidence: readonly EvidenceRow[],
): readonly FoundTurn[] {
  const rows = new Map(evidence.map((row) => [row.turnId, row]));
  const speakers = new Map<string, string>();
  const says = quotedBy(asked);
  const shown: FoundTurn[] = [];
  for (const hit of hits) {
    if (shown.length === asked.limit) break;
    const row = rows.get(hit.id);
    const [turn] = row === undefined ? [] : openTurns([row], key, onAlarm, speakers);
    if (row === undefined || turn === undefined || says?.(turn.content.text) === false) continue;
    shown.push({ turn, hit, sourceId: sourceIdOf(row, key, onAlarm), until: row.expiresAt });
  }
  return shown;
}
