import {
  checkJson,
  fieldPath,
  invalid,
  isObject,
  parseFields,
  parseList,
  parseOneOf,
  plainKey,
} from "./fields.js";
import { isUuid, type RouteId } from "./ids.js";
import { parseLimit, parseRouteId, parseText } from "./input.js";
import { LIMITS } from "./limits.js";
import { parseMemoryProfile } from "./profile-rules.js";
import type { Route, Stage } from "./route.js";

/** A route as its author writes it. The version is given by the system when it is stored. */
export type RouteDraft = Omit<Route, "version">;

/** Cap of a pack where the route says nothing: a modest share of any current model's window. */
const TOKENS_MAX_DEFAULT = 8_000;
const STAGES_MAX = 64;
const NAMES_MAX = 256;
const REASON_CHARS_MAX = 500;
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
  "retrieval",
  "tokens_max",
] as const;
const STAGE_KEYS = ["stage_id", "tools", "recall", "input_schema"] as const;
const RETRIEVAL_KEYS = ["scope", "prefetch", "limit"] as const;

/** A name that the operator chooses. `constructor` would find an inherited member in a plain object. */
const NAME = /^(?!constructor$)[a-z][a-z0-9_]{0,63}$/;
const TOOL = /^[A-Za-z][A-Za-z0-9_.:-]{0,127}$/;
const CORPUS = /^[A-Za-z0-9][A-Za-z0-9_./-]{0,127}$/;
/** Spellings of a person or of what a person prefers, where a corpus is asked for. */
const PERSONAL = /^(?:cust|subject|pref|prefs|preference|preferences)[_./-]/i;

const CONFIGURATION: readonly (readonly [RegExp, string])[] = [
  [
    /(?:url|uri|dsn|connectionstring|endpoint)$|^(?:vector|memory)?store$|^database$/,
    "where memory is stored",
  ],
  [/embed/, "the embedding model"],
  [/compress|compaction|summar.*prompt|prompt.*summar/, "how memory is compressed"],
];

/** A route from outside, strict. `route_id` may stand in it, if it is the same. */
export function parseRoute(value: unknown, routeId: RouteId): RouteDraft {
  const given = parseFields(value, "", ROUTE_KEYS, refuseConfiguration);
  if (given.route_id !== undefined && given.route_id !== routeId)
    throw invalid("route_id", "is not the route that is written");
  const risk = given.risk === undefined ? "low" : parseOneOf(given.risk, "risk", ["low", "high"]);
  const sideEffects =
    given.side_effects === undefined
      ? "read"
      : parseOneOf(given.side_effects, "side_effects", ["read", "write"]);
  const profile = parseMemoryProfile(given.memory_profile, "memory_profile", refuseConfiguration);
  const reason =
    given.long_term_reason === undefined
      ? undefined
      : parseText(given.long_term_reason, "long_term_reason", REASON_CHARS_MAX);
  if (
    profile.long_term !== "none" &&
    (risk === "high" || sideEffects === "write") &&
    reason === undefined
  ) {
    throw invalid(
      "long_term_reason",
      "is needed: a route that is high-risk or writes recalls nothing without a reason",
    );
  }
  return {
    route_id: routeId,
    memory_profile: profile,
    autonomy:
      given.autonomy === undefined ? 0 : parseOneOf(given.autonomy, "autonomy", [0, 1, 2, 3]),
    risk,
    side_effects: sideEffects,
    ...(reason === undefined ? {} : { long_term_reason: reason }),
    stages: parseStages(given.stages),
    tools: parseNames(given.tools, "tools", TOOL),
    recall_from: parseList(given.recall_from, "recall_from", NAMES_MAX, parseRouteId),
    store_fields: parseNames(given.store_fields, "store_fields", NAME),
    retrieval: parseRetrieval(given.retrieval),
    tokens_max: parseTokensMax(given.tokens_max),
  };
}

function parseStages(value: unknown): readonly Stage[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalid("stages", "must be a list");
  if (value.length > STAGES_MAX) throw invalid("stages", `has more than ${STAGES_MAX} entries`);
  const stages = value.map((stage: unknown, index) =>
    parseStage(stage, fieldPath("stages", index)),
  );
  parseList(
    stages.map((stage) => stage.stage_id),
    "stages",
    STAGES_MAX,
    (id) => String(id),
  );
  return stages;
}

function parseStage(value: unknown, field: string): Stage {
  const given = parseFields(value, field, STAGE_KEYS, refuseConfiguration);
  const schema = given.input_schema;
  const schemaField = fieldPath(field, "input_schema");
  if (schema !== undefined) {
    if (!isObject(schema)) throw invalid(schemaField, "must be an object");
    checkJson(schema, schemaField);
    if (JSON.stringify(schema).length > SCHEMA_CHARS_MAX)
      throw invalid(schemaField, `is longer than ${SCHEMA_CHARS_MAX} characters`);
  }
  return {
    stage_id: parseName(given.stage_id, fieldPath(field, "stage_id"), NAME),
    tools: parseNames(given.tools, fieldPath(field, "tools"), TOOL),
    recall:
      given.recall === undefined ? false : parseBoolean(given.recall, fieldPath(field, "recall")),
    ...(schema === undefined ? {} : { input_schema: schema }),
  };
}

/** Corpora that the route may search. Another store than memory: nothing of a person belongs here. */
function parseRetrieval(value: unknown): Route["retrieval"] {
  if (value === undefined) return {};
  const given = parseFields(value, "retrieval", RETRIEVAL_KEYS, refusePersonal);
  // An object has no place here; reading its keys gives the author the precise refusal.
  if (isObject(given.scope)) parseFields(given.scope, "retrieval.scope", [], refusePersonal);
  return {
    ...(given.scope === undefined
      ? {}
      : { scope: parseList(given.scope, "retrieval.scope", NAMES_MAX, parseCorpus) }),
    ...(given.prefetch === undefined
      ? {}
      : { prefetch: parseBoolean(given.prefetch, "retrieval.prefetch") }),
    ...(given.limit === undefined
      ? {}
      : { limit: parseLimit(given.limit, "retrieval.limit", LIMITS.recallHitsMax) }),
  };
}

function parseCorpus(value: unknown, field: string): string {
  const corpus = parseName(value, field, CORPUS);
  if (PERSONAL.test(corpus) || isUuid(corpus)) throw personal(field);
  return corpus;
}

function refusePersonal(key: string, path: string): void {
  refuseConfiguration(key, path);
  if (/pref|profile|memory|episode|person/.test(plainKey(key))) throw personal(path);
}

function personal(field: string) {
  return invalid(
    field,
    "names a person or a preference: retrieval holds corpora, never a person's memory",
  );
}

function refuseConfiguration(key: string, path: string): void {
  const matched = CONFIGURATION.find(([pattern]) => pattern.test(plainKey(key)));
  if (matched)
    throw invalid(path, `is configuration of the memory service (${matched[1]}), not of a route`);
}

function parseNames(value: unknown, field: string, pattern: RegExp): readonly string[] {
  return parseList(value, field, NAMES_MAX, (item, at) => parseName(item, at, pattern));
}

function parseName(value: unknown, field: string, pattern: RegExp): string {
  if (typeof value !== "string" || !pattern.test(value))
    throw invalid(field, "is not a name of the allowed form");
  return value;
}

function parseBoolean(value: unknown, field: string): boolean {
  if (typeof value !== "boolean") throw invalid(field, "must be true or false");
  return value;
}

function parseTokensMax(value: unknown): number {
  if (value === undefined) return TOKENS_MAX_DEFAULT;
  const tokens = parseLimit(value, "tokens_max", LIMITS.packTokensMax);
  if (tokens === 0) throw invalid("tokens_max", "must be 1 or more");
  return tokens;
}
