import type { MunimentError } from "./errors.js";
import {
  invalid,
  isObject,
  parseBoolean,
  parseFields,
  parseList,
  parseName,
  plainKey,
} from "./fields.js";
import { isUuid } from "./ids.js";
import { parseLimit } from "./input.js";
import { LIMITS } from "./limits.js";
import type { Route } from "./route.js";
import { refuseConfiguration } from "./route-configuration.js";

const CORPORA_MAX = 256;
const CORPUS = /^[A-Za-z0-9][A-Za-z0-9_./-]{0,127}$/;
/** Spellings of a person or of what a person prefers, where a corpus is asked for. */
const PERSONAL_NAME = /^(?:cust|subject|pref|prefs|preference|preferences)[_./-]/i;
const PERSONAL_KEY = /pref|profile|memory|episode|person/;

/** Corpora that a route may search (`scope`), in advance (`prefetch`) or not. Another store: nothing of a person belongs here. */
export function parseRetrieval(value: unknown): Route["retrieval"] {
  if (value === undefined) return {};
  const given = parseFields(value, "retrieval", ["scope", "prefetch", "limit"], refusePersonal);
  // An object has no place here; reading its keys gives the author the precise refusal.
  if (isObject(given.scope)) parseFields(given.scope, "retrieval.scope", [], refusePersonal);
  const { scope, prefetch, limit } = given;
  return {
    ...(scope === undefined
      ? {}
      : { scope: parseList(scope, "retrieval.scope", CORPORA_MAX, parseCorpus) }),
    ...(prefetch === undefined ? {} : { prefetch: parseBoolean(prefetch, "retrieval.prefetch") }),
    ...(limit === undefined
      ? {}
      : { limit: parseLimit(limit, "retrieval.limit", LIMITS.recallHitsMax) }),
  };
}

const LIMIT_DEFAULT = 8;

/** Corpora that the route's runs may search, and how many passages they get. */
export function corporaOf({ retrieval }: Pick<Route, "retrieval">): {
  readonly scope: readonly string[];
  readonly limit: number;
} {
  // As `parseRetrieval` has written them.
  const { scope = [], limit = LIMIT_DEFAULT } = retrieval as {
    readonly scope?: readonly string[];
    readonly limit?: number;
  };
  return { scope, limit };
}

function parseCorpus(value: unknown, field: string): string {
  const corpus = parseName(value, field, CORPUS);
  if (PERSONAL_NAME.test(corpus) || isUuid(corpus)) throw personal(field);
  return corpus;
}

function refusePersonal(key: string, path: string): void {
  refuseConfiguration(key, path);
  if (PERSONAL_KEY.test(plainKey(key))) throw personal(path);
}

function personal(field: string): MunimentError {
  return invalid(
    field,
    "names a person or a preference: retrieval holds corpora, never a person's memory",
  );
}
