import { fieldPath, invalid, parseFields, parseOneOf } from "./fields.js";
import { type DimensionId, type RouteId, trustedId } from "./ids.js";
import { parseText } from "./input.js";
import { LIMITS } from "./limits.js";
import { isReversed } from "./negation.js";
import { refusedInObservation } from "./observation-rules.js";
import { hasOwnNumber, plainWords, shareSaid } from "./said.js";
import { trajectoryOf } from "./trajectory.js";
import {
  type ConsolidateSource,
  type ModelObservation,
  type ModelSection,
  type ModelStatement,
  TRAJECTORIES,
  type Trajectory,
} from "./user-model.js";

/** Which part of a statement's words its observations must have. */
const SAID_MIN = 1 / 2;

/** Sections of one route, and how many statements rested on nothing or had no room. */
export interface Consolidated {
  readonly sections: readonly ModelSection[];
  readonly dropped: number;
}

/** A statement as a consolidator tells it. */
export interface Told {
  readonly dimension: DimensionId;
  readonly trajectory: Trajectory;
  readonly text: string;
  readonly cited: readonly string[];
}

type Known = ReadonlyMap<string, ModelObservation>;

/**
 * The answer of a consolidator as sections of a route. One without the asked form is refused. A statement that cites anything
 * but what it was given, or says more than that or its opposite, is dropped and counted. What is about safety isn't the
 * consolidator's to tell: it stands first, in the words of its observation, whatever the answer says.
 */
export function parseSections(
  value: unknown,
  source: ConsolidateSource,
  route: RouteId,
): Consolidated {
  const given = [...source.earlier, ...source.fresh];
  const known = new Map(given.map((it) => [String(it.id), it]));
  const dimensions = new Set(given.map(({ dimension }) => dimension));
  const told = parseTold(value);
  const supported = told.filter((it) => dimensions.has(it.dimension) && isSupported(it, known));
  const kept = withinBounds(supported);
  const sections = [...dimensions].sort().flatMap((dimension): readonly ModelSection[] => {
    const own = kept.filter((it) => it.dimension === dimension);
    const inDimension = given.filter((it) => it.dimension === dimension);
    const statements = [...safetyOf(inDimension), ...own.map(toStatement)];
    const trajectory = own[0]?.trajectory ?? trajectoryOf(inDimension);
    return statements.length === 0 ? [] : [{ route_id: route, dimension, trajectory, statements }];
  });
  return { sections, dropped: told.length - kept.length };
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

/** It cites something, nothing that wasn't given, not only what is corrected since, and says no more than what it cites. */
function isSupported({ text, cited }: Told, known: Known): boolean {
  const observations = cited.flatMap((id) => known.get(id) ?? []);
  if (observations.length === 0 || observations.length < cited.length) return false;
  const corrected = observations.filter(({ supersededBy }) => supersededBy !== null);
  if (corrected.length === observations.length || refusedInObservation(text) !== null) return false;
  const said = observations.map((it) => it.text).join("\n");
  if (hasOwnNumber(plainWords(text), plainWords(said)) || shareSaid(text, said) < SAID_MIN)
    return false;
  // Of what was corrected a statement may say that it is no more.
  return corrected.length > 0 || !isReversed(text, said);
}

/** The first statements of each dimension, as long as there is room. */
function withinBounds(told: readonly Told[]): readonly Told[] {
  const taken = new Map<DimensionId, number>();
  let chars = 0;
  return told.filter(({ dimension, text }) => {
    const before = taken.get(dimension) ?? 0;
    const hasRoom =
      before < LIMITS.userModelStatementsMax && chars + text.length <= LIMITS.userModelCharsMax;
    if (hasRoom) {
      taken.set(dimension, before + 1);
      chars += text.length;
    }
    return hasRoom;
  });
}

/** The statements of an answer, each with its section. Throws `invalid_input` where it hasn't the asked form. */
export function parseTold(value: unknown): readonly Told[] {
  const { sections } = parseFields(value, "", ["sections"]);
  return listOf(sections, "sections", LIMITS.userModelSectionsMax).flatMap((section, index) => {
    const at = fieldPath("sections", index);
    const given = parseFields(section, at, ["dimension", "trajectory", "statements"]);
    const dimension = parseText(given.dimension, fieldPath(at, "dimension"), 64);
    const trajectory = parseOneOf(given.trajectory, fieldPath(at, "trajectory"), TRAJECTORIES);
    const path = fieldPath(at, "statements");
    return listOf(given.statements, path, LIMITS.userModelAnswerMax).map((statement, place) => ({
      dimension: trustedId<"DimensionId">(dimension),
      trajectory,
      ...parseStatement(statement, fieldPath(path, place)),
    }));
  });
}

function parseStatement(value: unknown, at: string): Pick<Told, "text" | "cited"> {
  const given = parseFields(value, at, ["text", "observation_ids"]);
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
