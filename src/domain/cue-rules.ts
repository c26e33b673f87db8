import type { LanguageCues } from "./cues.js";
import {
  fieldPath,
  invalid,
  isObject,
  orElse,
  parseBoolean,
  parseFields,
  parseList,
} from "./fields.js";
import { type DimensionId, trustedId } from "./ids.js";
import { parseLimit, parseText } from "./input.js";
import { LIMITS } from "./limits.js";
import { isPlatformDimension, PLATFORM_DIMENSIONS } from "./platform-dimensions.js";
import { foldQuote } from "./quote.js";

const KEYS = [
  "version",
  "first_person",
  "drops_first_person",
  "acknowledgements",
  "safety",
  "corrections",
  "idioms",
  "dimensions",
] as const;
/** `*` stands at an end, beside something. */
const PHRASE = /^\*?[^*\s](?:[^*]*[^*\s])?\*?$/u;
const LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})?$/;

/** The language of a file of cues, by its name. */
export function parseCueLanguage(name: string): string {
  if (!LANGUAGE.test(name)) throw invalid("file name", "must be a language, such as `de.yaml`");
  return name;
}

/** The cues of one language as somebody who speaks it writes them down, strict. */
export function parseCues(value: unknown, language: string): LanguageCues {
  const given = parseFields(value, "", KEYS);
  return {
    language,
    version: parseLimit(given.version, "version", LIMITS.cueVersionMax),
    firstPerson: parsePhrases(given.first_person, "first_person"),
    dropsFirstPerson: orElse(given.drops_first_person, false, (it) =>
      parseBoolean(it, "drops_first_person"),
    ),
    acknowledgements: parsePhrases(given.acknowledgements, "acknowledgements"),
    safety: parsePhrases(given.safety, "safety"),
    corrections: parsePhrases(given.corrections, "corrections"),
    idioms: orElse(given.idioms, [], (it) => parsePhrases(it, "idioms")),
    dimensions: parseDimensions(given.dimensions),
  };
}

function parseDimensions(value: unknown): LanguageCues["dimensions"] {
  if (!isObject(value)) throw invalid("dimensions", "must be an object");
  return new Map(
    Object.entries(value).map(([id, phrases]): [DimensionId, readonly string[]] => {
      const at = fieldPath("dimensions", id);
      if (!isPlatformDimension(id))
        throw invalid(
          at,
          `is none of ${PLATFORM_DIMENSIONS.map(({ dimension_id: known }) => known).join(", ")}`,
        );
      return [trustedId<"DimensionId">(id), parsePhrases(phrases, at)];
    }),
  );
}

function parsePhrases(value: unknown, field: string): readonly string[] {
  return parseList(value, field, LIMITS.cuePhrasesMax, (phrase, at) => {
    const text = foldQuote(parseText(phrase, at, LIMITS.dimensionCueCharsMax))
      .trim()
      .toLowerCase();
    if (!PHRASE.test(text))
      throw invalid(at, "may have a `*` at its beginning or end alone, beside a word");
    return text;
  });
}
