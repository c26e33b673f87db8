import { setImmediate } from "node:timers/promises";
import type { TurnId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import { analyseTurn } from "../recall/analyse.js";
import { decodeTerms, type Terms } from "../recall/terms.js";
import type { TermsRow } from "../storage/queries/turn-list-terms.js";
import { listTurnsToAnalyse } from "../storage/queries/turn-list-to-analyse.js";
import { orAlarm } from "./integrity.js";
import type { IndexReading } from "./kept-index.js";
import { openTurns } from "./turn-reading.js";
import { termsPlace } from "./turn-writing.js";

/** Rows that are opened before others get their turn: about 10 ms. */
const ROWS_A_TICK = 200;

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
  const { services, key } = reading;
  const read: ReadTerms[] = [];
  const other: TurnId[] = [];
  for (const [done, row] of rows.entries()) {
    if (done > 0 && done % ROWS_A_TICK === 0) await setImmediate();
    const opened = orAlarm(services.onAlarm, () =>
      key.openTerms(termsPlace(row.turnId, row.sessionId), row.termsSealed),
    );
    const terms = opened === null ? null : decodeTerms(opened);
    if (opened !== null && terms === null) other.push(row.turnId);
    read.push({ row, terms });
  }
  if (other.length === 0) return read;
  const again = await analyseAgain(reading, other.slice(-analysedMax));
  return read.map(({ row, terms }) => ({ row, terms: terms ?? again.get(row.turnId) ?? null }));
}

async function analyseAgain(
  { services, tx, permit, key }: IndexReading,
  ids: readonly TurnId[],
): Promise<ReadonlyMap<TurnId, Terms>> {
  const [rows] = await tx.send([listTurnsToAnalyse(permit, ids)]);
  const made = new Map<TurnId, Terms>();
  for (let from = 0; from < rows.length; from += ROWS_A_TICK) {
    if (from > 0) await setImmediate();
    const turns = openTurns(rows.slice(from, from + ROWS_A_TICK), key, services.onAlarm);
    for (const { row, role, content, speaker } of turns)
      made.set(
        row.turnId,
        analyseTurn({
          text: content.text,
          speaker,
          isDerived: role === "assistant",
          observedAt: row.observedAt,
        }),
      );
  }
  return made;
}
