import {
  FIELD_CLASSES,
  FIELD_WRITERS,
  type FieldAnswers,
  type FieldDefinition,
  KEY_SCOPES,
} from "./field.js";
import {
  fieldPath,
  invalid,
  orElse,
  parseBoolean,
  parseFields,
  parseList,
  parseName,
  parseOneOf,
} from "./fields.js";
import type { FieldId } from "./ids.js";
import { trustedId } from "./ids.js";
import { parseRouteId, parseText } from "./input.js";
import { namesKycDecision, refuseKycDecision } from "./kyc.js";
import { KEY_NAME } from "./name.js";
import { parseValueSchema } from "./value-rules.js";

/** A field as its author defines it. The version is given by the system when it is stored. */
export type FieldDraft = Omit<FieldDefinition, "version">;

const KEYS = [
  "field_id",
  "class",
  "description",
  "value_schema",
  "writers",
  "owner",
  "scope",
  "routes",
  "answers",
  "sensitive",
  "authorises_tools",
  "criterion",
] as const;
const ANSWERS = ["edited_by_human", "wrong_value_repeats", "writer_and_audit_named"] as const;

const CRITERION = /^[a-z][a-z0-9_.]{0,63}$/;
const ROUTES_MAX = 256;
const DESCRIPTION_CHARS_MAX = 300;
const OWNER_CHARS_MAX = 100;

export function parseFieldId(value: unknown, field: string): FieldId {
  return trustedId<"FieldId">(parseName(value, field, KEY_NAME));
}

/** A field's definition from outside, strict. `field_id` may stand in it, if it is the same. */
export function parseFieldDefinition(value: unknown, fieldId: FieldId): FieldDraft {
  const given = parseFields(value, "", KEYS);
  if (given.field_id !== undefined && given.field_id !== fieldId)
    throw invalid("field_id", "is not the field that is written");
  if (namesKycDecision(fieldId))
    throw invalid("field_id", "names a know-your-customer decision, which memory doesn't keep");
  const description = parseText(given.description, "description", DESCRIPTION_CHARS_MAX);
  refuseKycDecision(description, "description");
  const writers = parseList(given.writers, "writers", FIELD_WRITERS.length, (item, at) =>
    parseOneOf(item, at, FIELD_WRITERS),
  );
  if (writers.length === 0) throw invalid("writers", "is empty: name who may write the field");
  const { criterion } = given;
  return {
    field_id: fieldId,
    class: parseOneOf(given.class, "class", FIELD_CLASSES),
    description,
    value_schema: parseValueSchema(given.value_schema, "value_schema"),
    writers,
    owner: parseText(given.owner, "owner", OWNER_CHARS_MAX),
    scope: parseOneOf(given.scope, "scope", KEY_SCOPES),
    routes: parseRoutes(given.routes),
    answers: parseAnswers(given.answers),
    sensitive: orElse(given.sensitive, false, (it) => parseBoolean(it, "sensitive")),
    authorises_tools: orElse(given.authorises_tools, false, (it) =>
      parseBoolean(it, "authorises_tools"),
    ),
    ...(criterion === undefined ? {} : { criterion: parseName(criterion, "criterion", CRITERION) }),
  };
}

function parseRoutes(value: unknown): FieldDraft["routes"] {
  if (value === "global") return value;
  const routes = parseList(value, "routes", ROUTES_MAX, parseRouteId);
  if (routes.length === 0) throw invalid("routes", "is empty: name routes, or say `global`");
  return routes;
}

/** Three questions, each answered and each with yes: what gets a no isn't a field of the store yet. */
function parseAnswers(value: unknown): FieldAnswers {
  const given = parseFields(value, "answers", ANSWERS);
  for (const question of ANSWERS) {
    const at = fieldPath("answers", question);
    if (!parseBoolean(given[question], at))
      throw invalid(at, "is answered with no: it isn't a field of the store yet");
  }
  return { edited_by_human: true, wrong_value_repeats: true, writer_and_audit_named: true };
}
