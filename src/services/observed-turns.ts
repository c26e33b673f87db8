import type { Cues } from "../domain/cues.js";
import type { Dimension } from "../domain/dimension.js";
import type { RouteId, RunId, SubjectId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import {
  type KnownObservation,
  type Observed,
  type ObserveSource,
  observedSpeaker,
} from "../domain/observation.js";
import type { ObservationClock } from "../domain/observation-end.js";
import { withoutRecalled } from "../domain/recalled-marks.js";
import { type ModelSection, restingOn, type UserModel } from "../domain/user-model.js";
import type { ObservationSpan } from "../domain/work.js";
import type { MappingRow } from "../storage/queries/reach-find.js";
import type { SessionRun } from "../storage/queries/session-content.js";
import type { TurnRow } from "../storage/queries/turn-list-by-session.js";
import { orAlarm } from "./integrity.js";
import type { OpenObservation } from "./observation-reading.js";
import { knownObservations } from "./observation-reading.js";
import type { ObservationToKeep } from "./observation-writing.js";
import type { Services } from "./services.js";
import { externalPlace } from "./subjects.js";
import { type OpenTurn, openTurns } from "./turn-reading.js";

/** What one job looks at: the first turns of its span, as far as one question holds them. */
export interface Window {
  readonly turns: readonly OpenTurn[];
  /** Sequence number behind which there may be more of the span; none where there isn't. */
  readonly untilSeq: number | undefined;
}

export function windowOf(
  { onAlarm }: Services,
  key: SubjectKey,
  rows: readonly TurnRow[],
  { until_seq }: ObservationSpan,
): Window {
  const turns: OpenTurn[] = [];
  let chars = 0;
  for (const turn of openTurns(rows, key, onAlarm)) {
    chars += turn.content.text.length;
    if (turns.length > 0 && chars > LIMITS.observeCharsMax)
      return { turns, untilSeq: turns.at(-1)?.row.seq };
    turns.push(turn);
  }
  const isFull = rows.length === LIMITS.observeTurnsMax;
  return { turns, untilSeq: isFull ? rows.at(-1)?.seq : until_seq };
}

/**
 * What is left of a span once a route of its window has been observed: the other routes, then what stands behind it; null where
 * nothing is. Each is a job of its own, so that what one has kept doesn't wait for what another is asked.
 */
export function restOfSpan(
  { until_seq: _until, after_route: _after, ...span }: ObservationSpan,
  { untilSeq }: Pick<Window, "untilSeq">,
  [observed, ...others]: readonly Pick<RouteTurns, "routeId">[],
): ObservationSpan | null {
  if (observed !== undefined && others.length > 0)
    return { ...span, until_seq: untilSeq, after_route: observed.routeId };
  return untilSeq === undefined ? null : { ...span, after_seq: untilSeq };
}

/** What was said under one route, with what an observer needs beside it. */
export interface RouteTurns {
  readonly routeId: RouteId;
  /** The last run of the route in the session. */
  readonly run: RunId;
  readonly source: ObserveSource;
  readonly rows: ReadonlyMap<string, TurnRow>;
}

interface Given {
  readonly span: ObservationSpan;
  readonly runs: readonly SessionRun[];
  readonly turns: readonly OpenTurn[];
  readonly dimensions: readonly Dimension[];
  readonly cues: Cues;
  readonly observations: readonly OpenObservation[];
  /** The application's own id of the subject; null where it isn't known. */
  readonly subject: string | null;
  readonly model: UserModel;
}

/**
 * Turns by route, as far as it hasn't been observed: what was said under one isn't another's to learn from, and neither is what is
 * known of it.
 */
export function byRoute({ span, runs, turns, observations, subject, model, ...given }: Given) {
  const { dimensions, cues } = given;
  const { after_route: after } = span;
  const all = [...new Set(runs.map(({ routeId }) => routeId))].sort();
  const routes = all.filter((routeId) => after === undefined || routeId > after);
  const standing = new Set(observations.map(({ row }) => row.observationId));
  const sections = restingOn(model.sections, standing);
  return routes.flatMap((routeId): readonly RouteTurns[] => {
    const run = runs.findLast((one) => one.routeId === routeId)?.runId;
    const own = turns.filter(({ row }) => row.routeId === routeId);
    const said = own.map((turn) => ({
      id: turn.row.turnId,
      role: turn.role,
      speaker: observedSpeaker(turn, subject),
      text: withoutRecalled(turn.content.text),
      observedAt: saidAtOf(turn.row),
    }));
    const says = said.some(({ role, text }) => role === "user" && !cues.isAcknowledgement(text));
    if (run === undefined || !says) return [];
    const known: readonly KnownObservation[] = knownObservations(
      observations.filter(({ row }) => row.routeId === routeId),
    );
    const rows = new Map(own.map(({ row }) => [String(row.turnId), row]));
    const source = { dimensions, cues, turns: said, known, model: toldOf(sections, routeId) };
    return [{ routeId, run, source, rows }];
  });
}

/** What the model says by this route's observations; null where it says nothing. */
function toldOf(sections: readonly ModelSection[], route: RouteId): string | null {
  const own = sections.filter(({ route_id }) => route_id === route);
  const told = own.flatMap(({ statements }) => statements.map(({ text }) => text));
  return told.length === 0 ? null : told.join("\n");
}

/** When it was said: nobody says anything later than it came here, whatever a clock or a file claims. */
export function saidAtOf({
  observedAt,
  recordedAt,
}: Pick<TurnRow, "observedAt" | "recordedAt">): Date {
  return observedAt < recordedAt ? observedAt : recordedAt;
}

/**
 * When what an observation quotes of a person was said and came here, by whom, and until when all that it cites is evidence. What
 * an assistant said beside it makes it no newer.
 */
export function standingOf(
  { rows }: RouteTurns,
  { turnIds, quotes, saidIn }: Observed,
  now: Date,
): Pick<ObservationToKeep, "speakerId" | "observedAt"> & ObservationClock {
  const cited = turnIds.flatMap((id) => rows.get(id) ?? []);
  const own = cited.filter(
    ({ turnId, role }) => role === "user" && quotes.some((quote) => quote.turn_id === turnId),
  );
  const times = own.map((row) => saidAtOf(row).getTime());
  const said = own.map(({ recordedAt }) => recordedAt.getTime());
  const ends = cited.map(({ evidenceUntil }) => (evidenceUntil ?? now).getTime());
  return {
    speakerId: rows.get(saidIn)?.speakerId ?? null,
    observedAt: new Date(Math.max(...times)),
    saidAt: new Date(Math.max(...said)),
    evidenceUntil: new Date(Math.min(...ends)),
  };
}

/** The application's own id of the subject, by the row that maps it. */
export function subjectName(
  { onAlarm }: Services,
  key: SubjectKey,
  subject: SubjectId,
  row: MappingRow | undefined,
): string | null {
  if (row === undefined) return null;
  return orAlarm(onAlarm, () =>
    key.open(externalPlace("subject", row.lookup, subject), row.sealed),
  );
}
