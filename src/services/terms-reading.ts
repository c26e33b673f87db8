import type { TurnId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import { givingWay, type Steps } from "../domain/steps.js";
import { analyseTurn } from "../recall/analyse.js";
import { decodeTerms, type Terms } from "../recall/terms.js";
import type { TurnRow } from "../storage/queries/turn-list-by-session.js";
import type { TermsRow } from "../storage/queries/turn-list-terms.js";
import { listTurnsToAnalyse } from "../storage/queries/turn-list-to-analyse.js";
import { orAlarm } from "./integrity.js";
import type { IndexReading } from "./kept-index.js";
import { openTurns } from "./turn-reading.js";
import { termsPlace } from "./turn-writing.js";

export interface ReadTerms {
  readonly row: TermsRow;
  /** Null where they can't be had now: of another analyser, or not openable. */
  readonly terms: Terms | null;
}

/**
 * Opens the terms of rows, in their order, and lets other requests run in between. Those that another version of the
 * analyser made are made again from the turn's text, of at most `analysedMax` rows, the last ones.
 */
export async function readTerms(
  reading: IndexReading,
  rows: readonly TermsRow[],
  analysedMax: number = LIMITS.analysedAgainMax,
): Promise<readonly ReadTerms[]> {
  const { read, other } = await givingWay(openTerms(reading, rows));
  if (other.length === 0) return read;
  const again = await analyseAgain(reading, other.slice(-analysedMax));
  return read.map(({ row, terms }) => ({ row, terms: terms ?? again.get(row.turnId) ?? null }));
}

/** Those that open, and which were made by another version. */
function* openTerms(
  { services, key }: IndexReading,
  rows: readonly TermsRow[],
): Steps<{ readonly read: readonly ReadTerms[]; readonly other: readonly TurnId[] }> {
  const read: ReadTerms[] = [];
  const other: TurnId[] = [];
  for (const row of rows) {
    yield;
    const opened = orAlarm(services.onAlarm, () =>
      key.openTerms(termsPlace(row.turnId, row.sessionId), row.termsSealed),
    );
    const terms = opened === null ? null : decodeTerms(opened);
    if (opened !== null && terms === null) other.push(row.turnId);
    read.push({ row, terms });
  }
  return { read, other };
}

async function analyseAgain(
  reading: IndexReading,
  ids: readonly TurnId[],
): Promise<ReadonlyMap<TurnId, Terms>> {
  const [rows] = await reading.tx.send([listTurnsToAnalyse(reading.permit, ids)]);
  return await givingWay(analyse(reading, rows));
}

function* analyse(
  { services, key }: IndexReading,
  rows: readonly TurnRow[],
): Steps<ReadonlyMap<TurnId, Terms>> {
  const made = new Map<TurnId, Terms>();
  const speakers = new Map<string, string>();
  for (const sealed of rows) {
    yield;
    const [turn] = openTurns([sealed], key, services.onAlarm, speakers);
    if (turn === undefined) continue;
    const { role, content, speaker } = turn;
    const { turnId, observedAt } = sealed;
    const isDerived = role === "assistant";
    made.set(turnId, analyseTurn({ text: content.text, speaker, isDerived, observedAt }));
  }
  return made;
}
