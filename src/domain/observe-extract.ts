import type { Dimension } from "./dimension.js";
import { LIMITS } from "./limits.js";
import type { KnownObservation, ObservedTurn, ObserveSource } from "./observation.js";
import { mayCorrect } from "./observation-corrections.js";
import { refusedInObservation } from "./observation-rules.js";
import { isPlatformDimension } from "./platform-dimensions.js";
import { foldQuote } from "./quote.js";
import { plainWords } from "./said.js";
import { FIRST_PERSON, isAcknowledgement } from "./spoken.js";

const SENTENCES = new Intl.Segmenter("und", { granularity: "sentence" });
const QUESTION_END = /[?？؟⸮]["'”’)\]]{0,4}$/u;
/** Lines that machines write, or that quote somebody: code, markup, tables, quotations, other roles. */
const MACHINE_LINE =
  /^\s*(?:[{}[\]<>|#`$]|\/\/|--|(?:system|assistant|tool|user|developer|agent|bot|ai)\s*:|["'][\w-]+["']\s*:)/i;
const FENCED = /```[\s\S]*?(?:```|$)/g;
/** How instructions to a model begin. */
const PROMPT =
  /^\s*(?:you are (?:an?|the|now)\b|#+\s*(?:system|instructions?)\b|<\|?(?:system|im_start))/i;
/** Words with which a person takes back what they said before. */
const CORRECTION =
  /\b(?:no longer|not any ?more|any ?more|from now on|instead|actually|changed|rather than|these days|now)\b/i;
const WORDS_MIN = 3;

interface ExtractedObservation {
  readonly dimension: string;
  readonly text: string;
  readonly turn_ids: readonly string[];
  readonly quotes: readonly string[];
  readonly supersedes?: string;
}

/**
 * The observer that needs no model: the person's own sentences in which a dimension's phrases stand, as they were said.
 * Weaker than a model's, and never wrong about what was said. Somebody else's words about the person are none of theirs, so
 * it leaves them alone.
 */
export function extractObservations({ dimensions, turns, known }: ObserveSource): {
  readonly observations: readonly ExtractedObservation[];
} {
  const cued = [...dimensions]
    .filter(({ cues }) => cues.length > 0)
    // A tenant's own come first: they are about something narrower.
    .sort((a, b) => Number(isPlatform(a)) - Number(isPlatform(b)))
    .map((dimension) => ({ dimension, cue: anyOf(dimension.cues) }));
  const found = turns
    .filter(({ role, speaker }) => role === "user" && speaker === "subject")
    .flatMap((turn) =>
      sentencesOf(turn).flatMap((sentence): readonly Cued[] => {
        const plain = foldQuote(sentence);
        // The cues of a tenant's own dimensions know their language best.
        const match = cued.find(
          ({ dimension, cue }) =>
            cue.test(plain) && (!isPlatform(dimension) || FIRST_PERSON.test(plain)),
        );
        return match === undefined ? [] : [{ turn, sentence, plain, dimension: match.dimension }];
      }),
    );
  // The newest have room; the others stand behind them, so that they are counted as left out.
  const max = LIMITS.observationsPerAnswerMax;
  const correctedBy = correctionsAmong(known);
  const observations = [...found.slice(-max), ...found.slice(0, -max)].map((one, index) => {
    const corrected = index < max ? correctedBy(one) : null;
    return {
      dimension: one.dimension.dimension_id,
      text: one.sentence,
      turn_ids: [one.turn.id],
      quotes: [one.sentence],
      ...(corrected === null ? {} : { supersedes: corrected.id }),
    };
  });
  return { observations };
}

/** A sentence in which a phrase of a dimension stands. */
interface Cued {
  readonly turn: ObservedTurn;
  readonly sentence: string;
  /** As cues are compared with it. */
  readonly plain: string;
  readonly dimension: Dimension;
}

function isPlatform({ dimension_id: id }: Dimension): boolean {
  return isPlatformDimension(id);
}

function anyOf(cues: readonly string[]): RegExp {
  const phrases = cues.map((cue) =>
    foldQuote(cue)
      .replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replaceAll(" ", "\\s"),
  );
  // Not \b: a cue may begin or end with a letter that JavaScript doesn't take for one.
  return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${phrases.join("|")})(?![\\p{L}\\p{N}])`, "iu");
}

function sentencesOf({ text }: ObservedTurn): readonly string[] {
  if (PROMPT.test(text)) return [];
  return text
    .replace(FENCED, "\n")
    .split(/[\n\r\u2028\u2029]+|\s{3,}/)
    .filter((line) => !MACHINE_LINE.test(line))
    .flatMap((line) => [...SENTENCES.segment(line)].map(({ segment }) => segment.trim()))
    .filter(isStatement);
}

function isStatement(sentence: string): boolean {
  return (
    sentence.length <= LIMITS.observationCharsMax &&
    plainWords(sentence).size >= WORDS_MIN &&
    !QUESTION_END.test(sentence) &&
    !isAcknowledgement(sentence) &&
    refusedInObservation(sentence) === null
  );
}

/** The newest earlier observation that a correction takes back: one that speaks of the same, beside what their dimension is about. */
function correctionsAmong(
  known: readonly KnownObservation[],
): (one: Cued) => KnownObservation | null {
  const standing = known
    .filter(({ supersededBy }) => supersededBy === null)
    .map((old) => ({ old, words: longWords(old.text) }));
  return ({ turn, plain, dimension }) => {
    if (!CORRECTION.test(plain)) return null;
    const usual = new Set(dimension.cues.flatMap(longWords));
    const telling = new Set(longWords(plain).filter((word) => !usual.has(word)));
    const one = { dimension: dimension.dimension_id, text: plain, said: plain };
    const corrected = standing.find(
      ({ old, words }) =>
        old.observedAt < turn.observedAt &&
        words.some((word) => telling.has(word)) &&
        mayCorrect({ ...one, speaker: turn.speaker }, old),
    );
    return corrected?.old ?? null;
  };
}

function longWords(text: string): readonly string[] {
  return [...plainWords(text)].filter((word) => word.length > 3).map((word) => word.slice(0, 6));
}
