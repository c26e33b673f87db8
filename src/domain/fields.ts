import { MunimentError } from "./errors.js";
import { LIMITS } from "./limits.js";
import { textFault } from "./text-fault.js";

// Strict reading of objects from outside. INVARIANT: an error names the field, never its value.

/** Names under which callers of other systems pass a scope, alone or with an ending. Spelled as `plainKey` spells. */
const SCOPE_WORDS = [
  "tenant",
  "workspace",
  "subject",
  "user",
  "customer",
  "owner",
  "principal",
  "session",
  "run",
  "agent",
  "app",
  "org",
  "organisation",
  "organization",
  "account",
  "route",
  "isolation",
  "scope",
  "namespace",
  "profile",
  "memoryprofile",
] as const;
const SCOPE_KEYS: ReadonlySet<string> = new Set(
  SCOPE_WORDS.flatMap((word) => [word, `${word}s`, `${word}id`, `${word}ids`]),
);

const PLAIN_KEY = /^[A-Za-z0-9_$.-]{1,64}$/;

/** Adds a key to a path. A key of odd characters is somebody's text, so it isn't repeated. */
export function fieldPath(parent: string, key: string | number): string {
  const shown = typeof key === "number" || PLAIN_KEY.test(key) ? String(key) : "?";
  return parent === "" ? shown : `${parent}.${shown}`;
}

export function invalid(field: string, message: string): MunimentError {
  return new MunimentError("invalid_input", `\`${field}\` ${message}`, { field });
}

/** A key as it is compared with lists of names: `userId`, `user_id` and `USER-ID` are one. */
export function plainKey(key: string): string {
  return key.toLowerCase().replaceAll(/[_-]/g, "");
}

/** True for a key or header that would name a scope. */
export function namesScope(key: string): boolean {
  return SCOPE_KEYS.has(plainKey(key));
}

export function scopeInInput(field: string): MunimentError {
  return new MunimentError(
    "scope_in_input",
    `\`${field}\` names a scope: it comes from the credential and the run alone`,
    { field },
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Own fields of an object from outside. A key that isn't `known` is refused, one that names a scope as such. */
export function parseFields<Key extends string>(
  value: unknown,
  field: string,
  known: readonly Key[],
  refuseKey: (key: string, path: string) => void = () => {},
): Readonly<Partial<Record<Key, unknown>>> {
  return knownFields(value, field === "" ? "body" : field, known, (key) => {
    const path = fieldPath(field, key);
    if (namesScope(key)) throw scopeInInput(path);
    refuseKey(key, path);
    return invalid(path, "is not a known key");
  });
}

/**
 * Own fields of an object that a model answered. What it calls them is its own text: nobody has to find a typing error by it,
 * so that a key which isn't `known` isn't repeated, whatever it looks like.
 */
export function parseAnswered<Key extends string>(
  value: unknown,
  field: string,
  known: readonly Key[],
): Readonly<Partial<Record<Key, unknown>>> {
  return knownFields(value, field === "" ? "answer" : field, known, () =>
    invalid(fieldPath(field, "?"), "is not a known key"),
  );
}

function knownFields<Key extends string>(
  value: unknown,
  field: string,
  known: readonly Key[],
  refusalOf: (key: string) => MunimentError,
): Readonly<Partial<Record<Key, unknown>>> {
  if (!isObject(value)) throw invalid(field, "must be an object");
  const fields: Partial<Record<Key, unknown>> = {};
  for (const key of Object.keys(value)) {
    const found = known.find((name) => name === key);
    if (found === undefined) throw refusalOf(key);
    fields[found] = value[key];
  }
  return fields;
}

export function parseOneOf<Value extends string | number>(
  value: unknown,
  field: string,
  allowed: readonly Value[],
): Value {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw invalid(field, `must be one of ${allowed.join(", ")}`);
  return found;
}

/** A list without repetitions; absent is the empty one. */
export function parseList<Item extends string>(
  value: unknown,
  field: string,
  itemsMax: number,
  parseItem: (item: unknown, field: string) => Item,
): readonly Item[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalid(field, "must be a list");
  if (value.length > itemsMax) throw invalid(field, `has more than ${itemsMax} entries`);
  const items = value.map((item: unknown, index) => parseItem(item, fieldPath(field, index)));
  const repeated = items.findIndex((item, index) => items.indexOf(item) !== index);
  if (repeated >= 0) throw invalid(fieldPath(field, repeated), "stands in the list twice");
  return items;
}

/** Refuses what isn't plain JSON: too deep, `__proto__`, not a number, half of a surrogate pair. */
export function checkJson(
  value: unknown,
  field: string,
  depth: number = LIMITS.jsonDepthMax,
): void {
  if (depth < 0) throw invalid(field, `is nested deeper than ${LIMITS.jsonDepthMax}`);
  if (value === null || typeof value === "boolean") return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (typeof value === "string") {
    const fault = textFault(value);
    if (fault !== null) throw invalid(field, fault);
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      checkJson(item, fieldPath(field, index), depth - 1);
    return;
  }
  if (!isObject(value) || !isPlain(value)) throw invalid(field, "is not a JSON value");
  for (const [key, item] of Object.entries(value)) {
    const path = fieldPath(field, key);
    if (key === "__proto__") throw invalid(path, "uses a reserved name");
    if (textFault(key) !== null) throw invalid(path, "has a character that isn't kept");
    checkJson(item, path, depth - 1);
  }
}

/** False for an instance of a class, such as a date: what JSON makes of it isn't what the caller gave. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function parseBoolean(value: unknown, field: string): boolean {
  if (typeof value !== "boolean") throw invalid(field, "must be true or false");
  return value;
}

export function parseName(value: unknown, field: string, pattern: RegExp): string {
  if (typeof value !== "string" || !pattern.test(value))
    throw invalid(field, "is not a name of the allowed form");
  return value;
}

/** The value, or what stands for it where it is absent. */
export function orElse<Value>(
  value: unknown,
  absent: Value,
  parse: (value: unknown) => Value,
): Value {
  return value === undefined ? absent : parse(value);
}
