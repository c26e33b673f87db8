import { refuseCredential } from "./credential-text.js";
import { DIMENSION_EXAMPLES, type Dimension } from "./dimension.js";
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
import { type DimensionId, trustedId } from "./ids.js";
import { parseText } from "./input.js";
import { namesKycDecision } from "./kyc.js";
import { LIMITS } from "./limits.js";
import { KEY_NAME } from "./name.js";
import { isPlatformDimension } from "./platform-dimensions.js";
import { FOLD, USER_MODEL } from "./view.js";

const KEYS = [
  "dimension_id",
  "entity",
  "type",
  "description",
  "tags",
  "cues",
  "is_safety",
  "examples",
] as const;
/** What only a system that is responsible for it says: events hold it, and no conversation does. Each as one thing. */
const AUTHORITATIVE: ReadonlySet<string> = new Set([
  "allergen",
  "allergy",
  "appointment",
  "balance",
  "clinical_state",
  "condition",
  "credit_limit",
  "credit_rating",
  "credit_score",
  "diagnosis",
  "dosage",
  "dose",
  "drug",
  "identity",
  "med",
  "medication",
  "medicine",
  "prescription",
  "risk_rating",
  "risk_score",
  "verification",
  "verified",
]);
/** Words that make nothing else of what they stand beside. */
const BESIDE =
  /_(?:active|clinical|current|daily|data|detail|history|info|known|list|name|note|number|of|record|state|status|taken|value)(?=_)/g;

/** True for a name of what a responsible system says, in one or many, with a plain word beside it. */
function isAuthoritative(name: string): boolean {
  const whole = name.split("_").map(inOne).join("_");
  const bare = `_${whole}_`.replaceAll(BESIDE, "").slice(1, -1);
  return AUTHORITATIVE.has(whole) || AUTHORITATIVE.has(bare);
}

function inOne(word: string): string {
  if (/(?:i|s|u)s$/.test(word)) return word;
  return word
    .replace(/ies$/, "y")
    .replace(/noses$/, "nosis")
    .replace(/(?<!i)s$/, "");
}

export function parseDimensionId(value: unknown, field: string): DimensionId {
  return trustedId<"DimensionId">(parseName(value, field, KEY_NAME));
}

/** A dimension's definition from outside, strict. `dimension_id` may stand in it, if it is the same. */
export function parseDimension(value: unknown, dimensionId: DimensionId): Dimension {
  const given = parseFields(value, "", KEYS);
  if (given.dimension_id !== undefined && given.dimension_id !== dimensionId)
    throw invalid("dimension_id", "is not the dimension that is written");
  if (isPlatformDimension(dimensionId))
    throw invalid("dimension_id", "is the name of a dimension that every tenant has");
  if (dimensionId === USER_MODEL || dimensionId === FOLD)
    throw invalid("dimension_id", "is the name of a view");
  if (isAuthoritative(dimensionId) || namesKycDecision(dimensionId))
    throw invalid("dimension_id", "names what a responsible system says, not what is observed");
  const definition = {
    dimension_id: dimensionId,
    entity: parseOneOf(given.entity, "entity", ["person"] as const),
    type: parseOneOf(given.type, "type", ["string"] as const),
    description: parseText(given.description, "description", LIMITS.dimensionCharsMax),
    tags: parseTags(given.tags),
    cues: parseList(given.cues, "cues", LIMITS.dimensionCuesMax, (cue, at) =>
      parseText(cue, at, LIMITS.dimensionCueCharsMax).trim().toLowerCase(),
    ),
    is_safety: orElse(given.is_safety, false, (it) => parseBoolean(it, "is_safety")),
    examples: parseExamples(given.examples),
  };
  refuseCredential(JSON.stringify(definition), "body");
  return definition;
}

function parseTags(value: unknown): Dimension["tags"] {
  const tags = parseList(value, "tags", 1, (tag, at) =>
    parseOneOf(tag, at, ["memory_extraction"] as const),
  );
  const [tag] = tags;
  if (tag === undefined) throw invalid("tags", "is empty: it is observed by `memory_extraction`");
  return [tag];
}

function parseExamples(value: unknown): Dimension["examples"] {
  const given = parseFields(value, "examples", DIMENSION_EXAMPLES);
  const one = (name: (typeof DIMENSION_EXAMPLES)[number]) =>
    parseText(given[name], fieldPath("examples", name), LIMITS.dimensionExampleCharsMax);
  return { preference: one("preference"), correction: one("correction"), nothing: one("nothing") };
}
