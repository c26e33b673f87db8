import { asSaid } from "./as-said.js";
import type { Cues } from "./cues.js";
import { fieldPath, invalid, parseAnswered } from "./fields.js";
import { type DimensionId, type RouteId, trustedId } from "./ids.js";
import { parseText } from "./input.js";
import { LIMITS } from "./limits.js";
import { isSupported } from "./statement-support.js";
import type { Steps } from "./steps.js";
import { trajectoryOf } from "./trajectory.js";
import type {
  ConsolidateSource,
  ModelObservation,
  ModelSection,
  ModelStatement,
} from "./user-model.js";

/** Sections of one route, and how many statements rested on nothing or had no room. */
export interface Consolidated {
  readonly sections: readonly ModelSection[];
  readonly dropped: number;
}

/** A statement as a consolidator tells it. */
export interface Told {
  readonly dimension: DimensionId;
  readonly text: string;
  readonly cited: readonly string[];
}

/**
 * The answer of a consolidator as sections of a route. One without the asked form is refused. A statement that cites anything
 * but what it was given, or says more than that or its opposite, is dropped and counted, and what it was made of stands instead of it, as it
 * was said. What is about safety isn't the
 * consolidator's to tell: it stands first, in the words of its observation, whatever the answer says. A step is a statement.
 */
export function* checkSections(
  value: unknown,
  source: ConsolidateSource,
  route: RouteId,
  cues: Cues,
): Steps<Consolidated> {
  const given = [...source.earlier, ...source.fresh];
  const known = new Map(given.map((it) => [String(it.id), it]));
  const dimensions = new Set(given.map(({ dimension }) => dimension));
  const told = parseTold(value);
  const isKept = withinBounds();
  // No answer that is meant has as many that don't hold.
  const looked = told.slice(0, LIMITS.userModelLookedMax);
  const kept: Told[] = [];
  const rest: Told[] = [];
  for (const it of looked) {
    yield;
    const holds = dimensions.has(it.dimension) && isKept(it, () => isSupported(it, known, cues));
    (holds ? kept : rest).push(it);
  }
  const dropped = told.length - kept.length;
  for (const it of inOwnWords(rest, kept, given)) if (isKept(it, () => true)) kept.push(it);
  const sections = [...dimensions].sort().flatMap((dimension): readonly ModelSection[] => {
    const own = kept.filter((it) => it.dimension === dimension);
    const inDimension = given.filter((it) => it.dimension === dimension);
    const statements = [...safetyOf(inDimension), ...own.map(toStatement)];
    // A matter of counting: no consolidator is asked for it.
    const trajectory = trajectoryOf(inDimension);
    return statements.length === 0 ? [] : [{ route_id: route, dimension, trajectory, statements }];
  });
  return { sections, dropped };
}

/** What statements that don't hold were made of, as it was said: a wrong word of a consolidator loses nothing that stands. */
function inOwnWords(
  rest: readonly Told[],
  kept: readonly Told[],
  given: readonly ModelObservation[],
): readonly Told[] {
  const shown = new Set(kept.flatMap(({ cited }) => cited));
  const wanted = new Set(rest.flatMap(({ cited }) => cited).filter((id) => !shown.has(id)));
  return asSaid(given)
    .filter(({ now }) => wanted.has(now.id))
    .map(({ now, text, cited }) => ({ dimension: now.dimension, text, cited }));
}

/** Observations about safety, until a later one about safety corrects them. */
export function standingSafety(
  observations: readonly ModelObservation[],
): readonly ModelObservation[] {
  const safety = observations.filter(({ isSafety }) => isSafety);
  const ids = new Set(safety.map(({ id }) => id));
  return safety.filter(({ supersededBy }) => supersededBy === null || !ids.has(supersededBy));
}

function safetyOf(observations: readonly ModelObservation[]): readonly ModelStatement[] {
  return standingSafety(observations).map(({ id, text }) => ({
    text,
    observation_ids: [id],
    is_safety: true,
  }));
}

function toStatement({ text, cited }: Told): ModelStatement {
  const ids = [...new Set(cited)].map((id) => trustedId<"ObservationId">(id));
  return { text, observation_ids: ids, is_safety: false };
}

/** Takes the first statements of each dimension that hold, as long as there is room; what has none isn't looked into. */
function withinBounds(): (told: Told, holds: () => boolean) => boolean {
  const taken = new Map<DimensionId, number>();
  let chars = 0;
  return ({ dimension, text }, holds) => {
    const before = taken.get(dimension) ?? 0;
    const hasRoom =
      before < LIMITS.userModelStatementsMax && chars + text.length <= LIMITS.userModelCharsMax;
    if (!hasRoom || !holds()) return false;
    taken.set(dimension, before + 1);
    chars += text.length;
    return true;
  };
}

/** The statements of an answer, each with its section. Throws `invalid_input` where it hasn't the asked form. */
export function parseTold(value: unknown): readonly Told[] {
  const { sections } = parseAnswered(value, "", ["sections"]);
  return listOf(sections, "sections", LIMITS.userModelSectionsMax).flatMap((section, index) => {
    const at = fieldPath("sections", index);
    const given = parseAnswered(section, at, ["dimension", "statements"]);
    const dimension = parseText(given.dimension, fieldPath(at, "dimension"), 64);
    const path = fieldPath(at, "statements");
    return listOf(given.statements, path, LIMITS.userModelAnswerMax).map((statement, place) => ({
      dimension: trustedId<"DimensionId">(dimension),
      ...parseStatement(statement, fieldPath(path, place)),
    }));
  });
}

function parseStatement(value: unknown, at: string): Pick<Told, "text" | "cited"> {
  const given = parseAnswered(value, at, ["text", "observation_ids"]);
  const path = fieldPath(at, "observation_ids");
  return {
    text: parseText(given.text, fieldPath(at, "text"), LIMITS.userModelStatementCharsMax),
    cited: listOf(given.observation_ids, path, LIMITS.userModelRefsMax).map((id, index) =>
      parseText(id, fieldPath(path, index), 64),
    ),
  };
}

function listOf(value: unknown, field: string, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(field, "must be a list");
  if (value.length > max) throw invalid(field, `has more than ${max} entries`);
  return value;
}
