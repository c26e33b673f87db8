import { z } from "zod";
import { MunimentError } from "../../domain/errors.js";
import { checkJson, fieldPath, namesScope, scopeInInput } from "../../domain/fields.js";
import {
  parseExternalId,
  parseInstant,
  parseRouteId,
  parseString,
  parseText,
} from "../../domain/input.js";
import { LIMITS } from "../../domain/limits.js";

/**
 * Parses what came from outside, strictly: an unknown key is an error, and one that names a scope is refused as such.
 * No message repeats a value; a key is named where it looks like one. `whole` names a value that isn't the body.
 */
export function parseInput<T extends z.ZodType>(
  schema: T,
  value: unknown,
  whole = "body",
): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue === undefined ? [] : issue.path;
  if (issue?.code === "unrecognized_keys") throw unknownKey(path, issue.keys);
  const field = path.length === 0 ? whole : fieldOf(path);
  const reason = isMissing(issue, value) ? "is missing" : reasonOf(issue);
  throw new MunimentError("invalid_input", `\`${field}\` ${reason}`, { field });
}

/** What zod says of a key that isn't there, too. */
const TELL_WHAT_IS_MISSING: ReadonlySet<string> = new Set([
  "invalid_type",
  "invalid_value",
  "invalid_union",
]);

function isMissing(issue: z.core.$ZodIssue | undefined, value: unknown): boolean {
  if (issue === undefined || !TELL_WHAT_IS_MISSING.has(issue.code)) return false;
  const found = issue.path.reduce<unknown>(
    (at, key) => (at as Readonly<Record<PropertyKey, unknown>>)[key],
    value,
  );
  return found === undefined;
}

function unknownKey(path: readonly PropertyKey[], keys: readonly string[]): MunimentError {
  const scope = keys.find(namesScope);
  if (scope !== undefined) return scopeInInput(fieldOf([...path, scope]));
  const field = fieldPath(path.map(String).join("."), keys[0] ?? "?");
  return new MunimentError("invalid_input", `\`${field}\` is not a known key`, { field });
}

function fieldOf(path: readonly PropertyKey[]): string {
  return path.map(String).join(".");
}

function reasonOf(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case "custom":
      return issue.message;
    case "too_big":
      return `is above ${issue.maximum}`;
    case "too_small":
      return `is below ${issue.minimum}`;
    case "invalid_type":
      return `must be ${issue.expected === "int" ? "a whole number" : `of type ${issue.expected}`}`;
    case "invalid_value":
      return oneOf(issue.values);
    case "invalid_union":
      return "options" in issue ? oneOf(issue.options) : "isn't valid";
    case "invalid_format":
      return formOf(issue);
    default:
      return "isn't valid";
  }
}

/** The values that there are, without that of an absent key. */
function oneOf(values: readonly unknown[]): string {
  const given = values.filter((value) => value !== undefined && value !== null);
  return `must be one of ${given.map(String).join(", ")}`;
}

function formOf({ format, pattern }: z.core.$ZodIssueInvalidStringFormat): string {
  if (format === "uuid") return "must be a UUID";
  return pattern === undefined ? "isn't valid" : `must match ${pattern}`;
}

/** What the domain's refusal says of a value, without the field: zod knows where the value stands. */
function reasonIn(error: unknown): string {
  return error instanceof MunimentError ? error.message.replace(/^`[^`]*` /, "") : "isn't valid";
}

/** Runs one of the domain's parsers as a step of zod's. */
function step<T>(parse: (value: unknown, field: string) => T) {
  return (value: unknown, context: z.RefinementCtx): T => {
    try {
      return parse(value, "");
    } catch (error) {
      context.addIssue({ code: "custom", message: reasonIn(error) });
      return z.NEVER;
    }
  };
}

/** Makes a zod string out of one of the domain's parsers: same rule and same message at every door. */
function parsed<T>(parse: (value: unknown, field: string) => T) {
  return z.string().transform(step(parse));
}

/** The same of a value of any shape. A refusal names the whole: keys inside are the caller's data. */
export function shaped<T>(parse: (value: unknown, field: string) => T) {
  return z.unknown().transform(step(parse));
}

/** A name that one of the domain's parsers knows. */
export const named = parsed<string>;

export const externalId = parsed(parseExternalId);
export const routeId = parsed(parseRouteId);
export const instant = parsed(parseInstant);
/** Text that may be empty, such as what a tool answers. */
export const anyText = (charsMax: number) =>
  parsed((value, field) => parseString(value, field, charsMax));
export const text = (charsMax: number) =>
  parsed((value, field) => parseText(value, field, charsMax));

/** A list in which no two items have the same key, such as the same id. */
export function distinct<T extends z.ZodType, K extends keyof z.output<T> & string>(
  items: z.ZodArray<T>,
  key: K,
) {
  return items.superRefine((given, context) => {
    const keys = given.map((item) => item[key]);
    const repeated = keys.findIndex((one, index) => keys.indexOf(one) !== index);
    if (repeated < 0) return;
    const message = "stands in the list twice";
    context.addIssue({ code: "custom", path: [repeated, key], message });
  });
}

/** Name that a workflow gives to a stage, a slot or a criterion. */
export const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/);

export const count = (max: number) => z.int().min(0).max(max);

/** One below the largest number of an integer column, so that the next version fits too. */
const WHOLE_MAX = 2_147_483_646;
export const whole = (min: number) => z.int().min(min).max(WHOLE_MAX);

/** Version that the caller saw last: the write happens only while it still stands. */
export const expectedVersion = z.int().min(0).optional();

/**
 * A JSON value from outside: bounded in depth and size, well-formed, no NUL, no `__proto__`. A refusal names the whole:
 * keys inside are the caller's data.
 */
export const json = z.unknown().superRefine((value, context) => {
  try {
    checkJson(value, "");
  } catch (error) {
    return context.addIssue({ code: "custom", message: reasonIn(error) });
  }
  if (JSON.stringify(value).length > LIMITS.workingCharsMax)
    context.addIssue({
      code: "custom",
      message: `is longer than ${LIMITS.workingCharsMax} characters`,
    });
});
