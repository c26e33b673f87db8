import type { Cues } from "../../domain/cues.js";
import type { Dimension } from "../../domain/dimension.js";
import { invalid } from "../../domain/fields.js";
import type { DimensionId, TurnId } from "../../domain/ids.js";
import {
  type ObservationBody,
  type ObservedTurn,
  type ObserveSource,
  observedSpeaker,
  type Quote,
} from "../../domain/observation.js";
import { parseObservations } from "../../domain/observation-rules.js";
import { PLATFORM_DIMENSIONS } from "../../domain/platform-dimensions.js";
import { withoutRecalled } from "../../domain/recalled-marks.js";
import type { TurnContent, TurnRole } from "../../domain/turn.js";
import type { ArchivedRow } from "../../storage/archive/archived-table.js";
import { saidAtOf } from "../observed-turns.js";
import type { OpenTurn } from "../turn-reading.js";
import { type Accepted, each, type Parsed } from "./accept-lines.js";
import type { Corrected } from "./corrected.js";
import { skipped } from "./line-replies.js";

/** A turn that an observation may cite, by its id in the archive. */
interface CitedTurn extends ObservedTurn {
  readonly label: string | null;
  readonly evidenceUntil: Date | null;
}

/** What observations of an archive are held to. */
export interface Held {
  /** The application's own id of the person. */
  readonly subject: string;
  readonly idOf: (id: string) => string;
  /** Turns that stand already. */
  readonly turns: readonly OpenTurn[];
  /** The tenant's own. */
  readonly defined: readonly Dimension[];
  readonly cues: Cues;
  readonly corrected: Corrected;
}

/** Ids of the turns that observations among the lines cite. */
export function citedIn(given: readonly Accepted[]): readonly string[] {
  const cited = given.flatMap((one) => (isObservation(one) ? turnIdsOf(one) : []));
  return [...new Set(cited)];
}

/** Routes whose observations say that they correct another one. */
export function correctingRoutes(given: readonly Accepted[]): readonly string[] {
  const correcting = given.filter((one) => isObservation(one) && one.line.supersedes !== null);
  return [...new Set(correcting.map(({ line }) => line.route_id as string))];
}

/**
 * Holds observations to what an observer's answer is held to: their words have to be found in turns that are here or come beside
 * them. How far each is believed, since when, and what it takes back isn't the file's to say.
 */
export function checkObservations(given: readonly Accepted[], held: Held): Parsed {
  const cited = citedTurns(given, held);
  const dimensions = [...PLATFORM_DIMENSIONS, ...held.defined];
  const named = given.map((one) => ({ ...one, kind: one.codec.kind }));
  return each(named, (one) => {
    if (!isObservation(one)) return one;
    const { dimension_id: id } = one.line as { readonly dimension_id: DimensionId };
    const dimension = dimensions.find(({ dimension_id }) => dimension_id === id);
    if (dimension === undefined) return skipped(one, "definition_differs");
    const turns = turnIdsOf(one).flatMap((turn) => cited.get(turn) ?? []);
    if (turns.length < turnIdsOf(one).length) return skipped(one, "parent_missing");
    const { cues, corrected } = held;
    const known = corrected.of(one.line);
    const source = { dimensions: [dimension], cues, turns, known, model: null };
    const line = { ...one.line, ...standingOf(one, dimension, source) };
    corrected.add(line);
    return { ...one, line };
  });
}

function standingOf(
  { line }: Accepted,
  dimension: Dimension,
  source: Omit<ObserveSource, "turns"> & { readonly turns: readonly CitedTurn[] },
) {
  const { turns, known } = source;
  const [corrected] = known;
  const { text, quotes, ...made } = line.body as ObservationBody;
  const entry = {
    dimension: dimension.dimension_id,
    text,
    turn_ids: turns.map(({ id }) => id),
    quotes: quotes.map((quote) => quoted(quote, turns)),
    supersedes: corrected?.id ?? null,
  };
  const [observed] = parseObservations({ observations: [entry] }, source).observed;
  if (observed === undefined) throw invalid("body.text", "isn't what its turns say");
  const said = turns.find(({ id }) => id === observed.saidIn);
  if (said?.label !== line.speaker) throw invalid("speaker", "isn't who said it");
  const end = line.expires_at as Date;
  if (turns.some(({ evidenceUntil }) => evidenceUntil === null || evidenceUntil < end))
    throw invalid("expires_at", "is later than what it cites is kept");
  const { basis, tier, isSafety, supersedes } = observed;
  return {
    basis,
    tier,
    is_safety: isSafety,
    // By the file's own id: it is given anew with the line's others.
    supersedes: supersedes === null ? null : line.supersedes,
    observed_at: saidLast(quotes, turns),
    body: { ...made, text: observed.text, quotes, said: observed.said },
  };
}

/** When the last of the person's words that it quotes was said. */
function saidLast(quotes: readonly Quote[], turns: readonly CitedTurn[]): Date {
  const own = turns.filter(
    ({ id, role }) => role === "user" && quotes.some(({ turn_id }) => turn_id === id),
  );
  return new Date(Math.max(...own.map(({ observedAt }) => observedAt.getTime())));
}

function quoted({ turn_id: id, start, end }: Quote, turns: readonly CitedTurn[]): string {
  const text = turns.find((turn) => turn.id === id)?.text ?? "";
  if (start >= end || end > text.length)
    throw invalid("body.quotes", "isn't within what a cited turn says");
  return text.slice(start, end);
}

/** What stands goes before what a line says of it. */
function citedTurns(
  given: readonly Accepted[],
  { subject, idOf, turns }: Held,
): ReadonlyMap<string, CitedTurn> {
  const standing = new Map(turns.map((turn) => [String(turn.row.turnId), turn]));
  const beside = new Map(
    given
      .filter(({ codec }) => codec.kind === "turn")
      .map(({ line }) => [line.turn_id as string, line]),
  );
  return new Map(
    citedIn(given).flatMap((id): readonly (readonly [string, CitedTurn])[] => {
      const told = toldOf(standing.get(idOf(id)), beside.get(id));
      if (told === null) return [];
      const { content, ...turn } = told;
      const speaker = observedSpeaker({ speaker: told.label, content }, subject);
      const text = withoutRecalled(content.text);
      return [[id, { ...turn, id: id as TurnId, speaker, text }]];
    }),
  );
}

function toldOf(
  own: OpenTurn | undefined,
  line: ArchivedRow | undefined,
): (Omit<CitedTurn, "id" | "speaker" | "text"> & { readonly content: TurnContent }) | null {
  if (own !== undefined) {
    const { role, content, speaker, row } = own;
    const { evidenceUntil } = row;
    return { role, content, label: speaker, observedAt: saidAtOf(row), evidenceUntil };
  }
  if (line === undefined) return null;
  return {
    role: line.role as TurnRole,
    content: line.content as TurnContent,
    label: line.speaker as string | null,
    observedAt: saidAtOf({
      observedAt: line.observed_at as Date,
      recordedAt: line.recorded_at as Date,
    }),
    evidenceUntil: line.evidence_until as Date | null,
  };
}

function isObservation({ codec }: Accepted): boolean {
  return codec.kind === "observation";
}

function turnIdsOf({ line }: Accepted): readonly string[] {
  return line.turn_ids as readonly string[];
}
