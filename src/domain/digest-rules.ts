import { findCredential, isChainOfThought } from "./credential-text.js";
import {
  DIGEST_PARTS,
  type Digest,
  type DigestEntry,
  type DigestPart,
  type DigestSource,
} from "./digest.js";
import { fieldPath, invalid, isObject, parseFields } from "./fields.js";
import { parseText } from "./input.js";
import { statesKycDecision } from "./kyc.js";
import { LIMITS } from "./limits.js";
import { hasOwnNumber, isMostlySaid, numbersIn, plainWords } from "./said.js";

const ENTRY_KEYS = ["text", "turn_ids", "working"] as const;

/** What a person is like or feels, which no episode says of anybody. */
const MOOD =
  /\b(?:is|are|was|were|seems?|seemed|feels?|felt|sounds?|sounded|looks?|looked|became|gets?|got)\s{1,4}(?:(?:very|quite|so|really|always|often|a\s{1,2}bit)\s{1,4})?(?:angry|annoyed|anxious|upset|happy|unhappy|sad|frustrated|irritated|rude|polite|impatient|nervous|stressed|depressed|furious|grateful|friendly|hostile|difficult|emotional|distressed)\b/i;
/** A promise would be read as a right by whoever recalls it. */
const PROMISE =
  /\b(?:promis(?:e[sd]?|ing)|guarantee[sd]?|pledge[sd]?|swears?|swore|vow(?:s|ed)?|assure[sd]?)\b|\b(?:we|i)\s{1,4}(?:will|shall)\s{1,4}always\b/i;
/** Rules live in their own store, with a version. */
const POLICY =
  /\b(?:policy|policies|terms\s{1,4}and\s{1,4}conditions|regulations?|guidelines?)\b[^.!?]{0,80}\b(?:says?|states?|requires?|allows?|forbids?|prohibits?|must|shall)\b|\b(?:agents?|assistants?|staff)\s{1,4}(?:must|shall)\b|§/i;

const REFUSED: readonly (readonly [RegExp, string])[] = [
  [MOOD, "tells a mood"],
  [PROMISE, "tells a promise"],
  [POLICY, "is policy text"],
];

/** Why a text can't stand in an episode, whatever it was taken from; null where it can. */
export function refusedInEpisode(text: string): string | null {
  if (findCredential(text) !== null) return "holds a token or a credential";
  if (isChainOfThought(text)) return "holds a model's reasoning";
  if (statesKycDecision(text)) return "is a verdict of an identity check";
  return REFUSED.find(([form]) => form.test(text))?.[1] ?? null;
}

/**
 * A digest from outside, strict. Throws `invalid_input` with the first entry that isn't right: one that refers to
 * nothing, that its sources don't say, or that no episode may say. Nothing is left out or mended.
 */
export function parseDigest(value: unknown, source: DigestSource, field = ""): Digest {
  const given = parseFields(value, field, DIGEST_PARTS);
  const missing = DIGEST_PARTS.find((part) => given[part] === undefined);
  if (missing !== undefined) throw invalid(fieldPath(field, missing), "is missing");
  const known = textsOf(source);
  const entries = (part: DigestPart) => parsePart(given[part], part, known, fieldPath(field, part));
  return {
    open_questions: entries("open_questions"),
    decisions: entries("decisions"),
    artifacts: entries("artifacts"),
    evaluator_failures: entries("evaluator_failures"),
  };
}

interface Said {
  readonly text: string;
  /** Output of a stage. What people, tools, documents and models say decides nothing by itself. */
  readonly isDecided: boolean;
}

function textsOf({ turns, items }: DigestSource): ReadonlyMap<string, Said> {
  return new Map([
    ...turns.map(({ id, text }) => [String(id), { text, isDecided: false }] as const),
    ...items.map(
      ({ id, class: kind, text }) => [id, { text, isDecided: kind === "slot" }] as const,
    ),
  ]);
}

function parsePart(
  value: unknown,
  part: DigestPart,
  known: ReadonlyMap<string, Said>,
  field: string,
): readonly DigestEntry[] {
  if (!Array.isArray(value)) throw invalid(field, "must be a list");
  if (value.length > LIMITS.digestEntriesMax)
    throw invalid(field, `has more than ${LIMITS.digestEntriesMax} entries`);
  return value.map((entry: unknown, index) =>
    parseEntry(entry, part, known, fieldPath(field, index)),
  );
}

function parseEntry(
  value: unknown,
  part: DigestPart,
  known: ReadonlyMap<string, Said>,
  field: string,
): DigestEntry {
  if (!isObject(value)) throw invalid(field, "must be an object");
  const given = parseFields(value, field, ENTRY_KEYS);
  const isVerbatim = part === "artifacts" || part === "evaluator_failures";
  const text = parseText(
    given.text,
    fieldPath(field, "text"),
    isVerbatim ? LIMITS.turnCharsMax : LIMITS.digestCharsMax,
  );
  const entry = {
    text,
    turn_ids: parseRefs(given.turn_ids, known, fieldPath(field, "turn_ids")),
    working: parseRefs(given.working, known, fieldPath(field, "working")),
  };
  const cited = [...entry.turn_ids, ...entry.working].flatMap((ref) => known.get(ref) ?? []);
  if (cited.length === 0) throw invalid(field, "refers to nothing");
  if (cited.length > LIMITS.digestRefsMax) throw invalid(field, "is about too much at once");
  const refused = refusedInEpisode(text);
  if (refused !== null) throw invalid(fieldPath(field, "text"), refused);
  const fault = unsaid(part, text, cited);
  if (fault !== null) throw invalid(fieldPath(field, "text"), fault);
  return entry;
}

function parseRefs(
  value: unknown,
  known: ReadonlyMap<string, Said>,
  field: string,
): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalid(field, "must be a list");
  return value.map((ref: unknown, index) => {
    if (typeof ref === "string" && known.has(ref)) return ref;
    throw invalid(fieldPath(field, index), "is nothing of this session and route");
  });
}

/** How the text goes beyond what it cites; null where it doesn't. */
function unsaid(part: DigestPart, text: string, cited: readonly Said[]): string | null {
  if (part === "evaluator_failures" || part === "artifacts")
    return cited.some((said) => said.text.includes(text)) ? null : "isn't verbatim";
  const whole = cited.map(({ text: it }) => it).join(" ");
  const said = plainWords(whole);
  const words = plainWords(text);
  if (hasOwnNumber(numbersIn(text), [numbersIn(whole)]))
    return "has a number that what it cites doesn't have";
  if (!isMostlySaid(words, said)) return "isn't said by what it cites";
  if (part === "decisions" && !cited.some(({ isDecided }) => isDecided))
    return "is what somebody said: a decision cites the output of a stage";
  return null;
}
