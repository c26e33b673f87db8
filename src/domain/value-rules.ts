import { fieldPath, invalid, isObject, parseFields, parseList, parseOneOf } from "./fields.js";
import { parseLimit, parseText } from "./input.js";
import { LIMITS } from "./limits.js";
import { parsePattern } from "./value-pattern.js";
import type { FieldValue, Scalar, ScalarSchema, ValueSchema } from "./value-schema.js";

const TYPES = ["boolean", "integer", "number", "string"] as const;
const KEYS = ["type", "enum", "minimum", "maximum", "pattern", "maxLength"] as const;
const ARRAY_KEYS = ["type", "items", "maxItems"] as const;

/** The schema of a field's value from its author, strict. Whatever would let free text in is refused. */
export function parseValueSchema(value: unknown, field: string): ValueSchema {
  if (!isObject(value) || value.type !== "array") return parseScalarSchema(value, field);
  const given = parseFields(value, field, ARRAY_KEYS);
  const maxItems = parseLimit(given.maxItems, fieldPath(field, "maxItems"), LIMITS.fieldItemsMax);
  if (maxItems === 0) throw invalid(fieldPath(field, "maxItems"), "must be 1 or more");
  return {
    type: "array",
    items: parseScalarSchema(given.items, fieldPath(field, "items")),
    maxItems,
  };
}

function parseScalarSchema(value: unknown, field: string): ScalarSchema {
  const given = parseFields(value, field, KEYS);
  const at = (key: (typeof KEYS)[number]) => fieldPath(field, key);
  const type = parseOneOf(given.type, at("type"), TYPES);
  const takes = (...keys: readonly (typeof KEYS)[number][]) => {
    const strange = KEYS.find(
      (key) => given[key] !== undefined && ![...keys, "type"].includes(key),
    );
    if (strange !== undefined) throw invalid(at(strange), `isn't taken for type ${type}`);
  };
  switch (type) {
    case "boolean":
      takes();
      return { type };
    case "integer":
    case "number": {
      takes("minimum", "maximum");
      const minimum = parseBound(given.minimum, at("minimum"), type);
      const maximum = parseBound(given.maximum, at("maximum"), type);
      if (maximum < minimum) throw invalid(at("maximum"), "is below `minimum`");
      return { type, minimum, maximum };
    }
    case "string":
      if (given.enum !== undefined) {
        takes("enum");
        return { type, enum: parseLabels(given.enum, at("enum")) };
      }
      takes("pattern", "maxLength");
      if (given.pattern === undefined)
        throw invalid(field, "is free text: a string needs `enum`, or `pattern` with `maxLength`");
      return { type, ...parseBoundedText(given, at) };
  }
}

function parseBoundedText(
  given: { readonly pattern?: unknown; readonly maxLength?: unknown },
  at: (key: "pattern" | "maxLength") => string,
): { readonly pattern: string; readonly maxLength: number } {
  const maxLength = parseLimit(given.maxLength, at("maxLength"), LIMITS.fieldCharsMax);
  return { pattern: parsePattern(given.pattern, at("pattern"), maxLength), maxLength };
}

function parseLabels(value: unknown, field: string): readonly string[] {
  const labels = parseList(value, field, LIMITS.fieldLabelsMax, (item, path) =>
    parseText(item, path, LIMITS.fieldCharsMax),
  );
  if (labels.length === 0) throw invalid(field, "is empty");
  return labels;
}

function parseBound(value: unknown, field: string, type: "integer" | "number"): number {
  if (
    typeof value !== "number" ||
    !Number.isFinite(value) ||
    Math.abs(value) > Number.MAX_SAFE_INTEGER
  )
    throw invalid(field, "must be a number: a field's value is bounded on both sides");
  if (type === "integer" && !Number.isInteger(value))
    throw invalid(field, "must be a whole number");
  return value;
}

/** A value from outside, as its field's schema allows it. No refusal repeats it. */
export function parseValue(schema: ValueSchema, value: unknown, field: string): FieldValue {
  if (schema.type !== "array") return parseScalar(schema, value, field);
  if (!Array.isArray(value)) throw invalid(field, "must be a list");
  if (value.length > schema.maxItems)
    throw invalid(field, `has more than ${schema.maxItems} entries`);
  const items = value.map((item: unknown, index) =>
    parseScalar(schema.items, item, fieldPath(field, index)),
  );
  if (new Set(items).size < items.length) throw invalid(field, "has an entry twice");
  return items;
}

function parseScalar(schema: ScalarSchema, value: unknown, field: string): Scalar {
  switch (schema.type) {
    case "boolean":
      if (typeof value === "boolean") return value;
      throw invalid(field, "must be true or false");
    case "integer":
    case "number":
      if (typeof value !== "number" || (schema.type === "integer" && !Number.isInteger(value)))
        throw invalid(
          field,
          schema.type === "integer" ? "must be a whole number" : "must be a number",
        );
      if (!(value >= schema.minimum && value <= schema.maximum))
        throw invalid(field, `must be from ${schema.minimum} to ${schema.maximum}`);
      return Object.is(value, -0) ? 0 : value;
    case "string":
      if (typeof value !== "string") throw invalid(field, "must be a string");
      if ("enum" in schema) return parseOneOf(value, field, schema.enum);
      if (value.length > schema.maxLength || !new RegExp(schema.pattern, "u").test(value))
        throw invalid(field, "doesn't have the form that its field asks for");
      return value;
  }
}

/** True where a stored value is still one that the definition allows. */
export function fitsSchema(schema: ValueSchema, value: unknown): boolean {
  try {
    parseValue(schema, value, "value");
    return true;
  } catch {
    return false;
  }
}
