import {
  checkJson,
  fieldPath,
  invalid,
  isObject,
  orElse,
  parseBoolean,
  parseFields,
  parseList,
  parseName,
  parseOneOf,
} from "./fields.js";
import type { RouteId } from "./ids.js";
import { parseLimit, parseRouteId, parseText } from "./input.js";
import { LIMITS } from "./limits.js";
import { KEY_NAME } from "./name.js";
import type { MemoryProfile } from "./profile.js";
import { parseMemoryProfile } from "./profile-rules.js";
import { parseRetrieval } from "./retrieval-rules.js";
import type { Route, Stage } from "./route.js";
import { refuseConfiguration } from "./route-configuration.js";
import { PREFETCH_SLOT, parseSlotCondition } from "./slot-condition.js";

/** A route as its author writes it. The version is given by the system when it is stored. */
export type RouteDraft = Omit<Route, "version">;

/** Cap of a pack where the route says nothing: a modest share of any current model's window. */
const TOKENS_MAX_DEFAULT = 8_000;
const STAGES_MAX = 64;
const NAMES_MAX = 256;
const SCHEMA_CHARS_MAX = 64_000;

const ROUTE_KEYS = [
  "route_id",
  "memory_profile",
  "autonomy",
  "risk",
  "side_effects",
  "long_term_reason",
  "stages",
  "tools",
  "recall_from",
  "store_fields",
  "views",
  "retrieval",
  "tokens_max",
] as const;
const STAGE_KEYS = ["stage_id", "tools", "recall", "input_schema", "when", "gate"] as const;

export const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_.:-]{0,127}$/;

/** A route from outside, strict. `route_id` may stand in it, if it is the same. */
export function parseRoute(value: unknown, routeId: RouteId): RouteDraft {
  const given = parseFields(value, "", ROUTE_KEYS, refuseConfiguration);
  if (given.route_id !== undefined && given.route_id !== routeId) {
    throw invalid("route_id", "is not the route that is written");
  }
  const reason = given.long_term_reason;
  const profile = parseMemoryProfile(given.memory_profile, "memory_profile", refuseConfiguration);
  const views = parseViews(given.views, profile);
  return {
    route_id: routeId,
    memory_profile: profile,
    autonomy: orElse<Route["autonomy"]>(given.autonomy, 0, (it) =>
      parseOneOf(it, "autonomy", [0, 1, 2, 3]),
    ),
    risk: orElse<Route["risk"]>(given.risk, "low", (it) => parseOneOf(it, "risk", ["low", "high"])),
    side_effects: orElse<"read" | "write">(given.side_effects, "read", (it) =>
      parseOneOf(it, "side_effects", ["read", "write"]),
    ),
    ...(reason === undefined
      ? {}
      : { long_term_reason: parseText(reason, "long_term_reason", LIMITS.reasonCharsMax) }),
    stages: parseStages(given.stages),
    tools: parseNames(given.tools, "tools", TOOL_NAME),
    recall_from: parseList(given.recall_from, "recall_from", NAMES_MAX, parseRouteId),
    store_fields: parseNames(given.store_fields, "store_fields", KEY_NAME),
    ...(views.length === 0 ? {} : { views }),
    retrieval: parseRetrieval(given.retrieval),
    tokens_max: orElse(given.tokens_max, TOKENS_MAX_DEFAULT, parseTokensMax),
  };
}

/** What is derived of a person outlives the chat: a route without long-term memory is shown none of it. */
function parseViews(value: unknown, { long_term }: MemoryProfile): readonly string[] {
  const views = [...new Set(parseNames(value, "views", KEY_NAME))];
  if (views.length > 0 && long_term !== "retrieve_only")
    throw invalid("views", "needs `long_term: retrieve_only` in the profile");
  return views;
}

function parseStages(value: unknown): readonly Stage[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalid("stages", "must be a list");
  if (value.length > STAGES_MAX) throw invalid("stages", `has more than ${STAGES_MAX} entries`);
  const stages: Stage[] = [];
  for (const [index, stage] of value.entries())
    stages.push(
      parseStage(
        stage,
        fieldPath("stages", index),
        stages.map(({ stage_id }) => stage_id),
      ),
    );
  const ids = stages.map((stage) => stage.stage_id);
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (repeated >= 0) throw invalid(`stages.${repeated}.stage_id`, "is the id of an earlier stage");
  return stages;
}

function parseStage(value: unknown, field: string, earlier: readonly string[]): Stage {
  const given = parseFields(value, field, STAGE_KEYS, refuseConfiguration);
  const { input_schema: schema, when, gate } = given;
  const condition = (it: unknown, key: string) =>
    parseSlotCondition(it, fieldPath(field, key), earlier);
  return {
    stage_id: parseStageId(given.stage_id, fieldPath(field, "stage_id")),
    tools: parseNames(given.tools, fieldPath(field, "tools"), TOOL_NAME),
    recall: orElse(given.recall, false, (it) => parseBoolean(it, fieldPath(field, "recall"))),
    ...(schema === undefined
      ? {}
      : { input_schema: parseSchema(schema, fieldPath(field, "input_schema")) }),
    ...(when === undefined ? {} : { when: condition(when, "when") }),
    ...(gate === undefined ? {} : { gate: condition(gate, "gate") }),
  };
}

function parseStageId(value: unknown, field: string): string {
  const id = parseName(value, field, KEY_NAME);
  if (id === PREFETCH_SLOT) throw invalid(field, "is the slot of prefetched passages");
  return id;
}

function parseSchema(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw invalid(field, "must be an object");
  checkJson(value, field);
  if (JSON.stringify(value).length > SCHEMA_CHARS_MAX)
    throw invalid(field, `is longer than ${SCHEMA_CHARS_MAX} characters`);
  return value;
}

function parseNames(value: unknown, field: string, pattern: RegExp): readonly string[] {
  return parseList(value, field, NAMES_MAX, (item, at) => parseName(item, at, pattern));
}

function parseTokensMax(value: unknown): number {
  const tokens = parseLimit(value, "tokens_max", LIMITS.packTokensMax);
  if (tokens === 0) throw invalid("tokens_max", "must be 1 or more");
  return tokens;
}
