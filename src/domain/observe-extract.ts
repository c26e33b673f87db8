import { asks } from "./asked.js";
import type { Cues, TextCues } from "./cues.js";
import type { Dimension } from "./dimension.js";
import { LIMITS } from "./limits.js";
import type { KnownObservation, ObservedTurn, ObserveSource } from "./observation.js";
import { mayCorrect } from "./observation-corrections.js";
import { refusedInObservation } from "./observation-refusals.js";
import { withoutOthersWords } from "./others-words.js";
import { createPhrases, foldPhrase, indexPhrases, type Phrases } from "./phrases.js";
import { isPlatformDimension } from "./platform-dimensions.js";
import { foldQuote, UNSPACED } from "./quote.js";
import { replaces } from "./replacement.js";
import { contentWords, wordsOf } from "./said.js";
import { eachSentence } from "./sentences.js";
import type { Steps } from "./steps.js";

/** Lines that machines write, or that quote somebody: code, markup, tables, quotations, other roles, boxes that nobody ticked. */
const MACHINE_LINE =
  /^\s*(?:(?:[-*]\s*)?(?:[☐□◻]|\[\s*\]|\(\s*\))|[{}[\]<>|#`$]|\/\/|--|(?:system|assistant|tool|user|developer|agent|bot|ai)\s*:|["'][\w-]+["']\s*:)/i;
const FENCED = /```[\s\S]*?(?:```|$)/g;
/** How instructions to a model begin. */
const PROMPT =
  /^\s*(?:you are (?:an?|the|now)\b|#+\s*(?:system|instructions?)\b|<\|?(?:system|im_start))/i;
const WORDS_MIN = 3;
/** Where a danger stands that no dimension's phrases tell of. */
const CONTEXT = "reported_context";
/** This observer: the number is raised with a release that changes what it finds. What it finds says so, with the cues that it knew. */
const OBSERVER = "quotes/4";

/** What is noted of an observation that was found without a model. */
export function madeByQuotes(cues: Cues): string {
  // 64 languages with long versions don't fit: what is cut off is told by its beginning.
  return `${OBSERVER} ${cues.version}`.slice(0, LIMITS.madeByCharsMax);
}

interface Extracted {
  readonly observations: readonly ExtractedObservation[];
}

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
 * it leaves them alone. A step is a sentence.
 */
export function* findObservations({
  dimensions,
  cues,
  turns,
  known,
}: ObserveSource): Steps<Extracted> {
  // A tenant's own come first: they are about something narrower, and their cues know their language best.
  const ownOf = yield* findOwn(dimensions.filter((dimension) => !isPlatform(dimension)));
  const platform = dimensions.filter(isPlatform);
  // What may hurt the person is kept whatever it is about.
  const context = platform.find(({ dimension_id: id }) => id === CONTEXT);
  const found: Cued[] = [];
  for (const turn of turns.filter(isPersons)) {
    const told = cues.of(turn.text);
    for (const sentence of ownSentences(turn)) {
      yield;
      if (!isStatement(sentence, cues)) continue;
      const plain = foldQuote(sentence);
      const dimension =
        ownOf(plain) ??
        platform.find(({ dimension_id: id }) => told.tells(plain, id)) ??
        (cues.isAboutSafety(plain) ? context : undefined);
      if (dimension !== undefined) found.push({ turn, told, sentence, plain, dimension });
    }
  }
  // The newest have room; the others stand behind them, so that they are counted as left out.
  const max = LIMITS.observationsPerAnswerMax;
  const correctedBy = correctionsAmong(known, cues);
  const observations: ExtractedObservation[] = [];
  for (const one of [...found.slice(-max), ...found.slice(0, -max)]) {
    yield;
    const corrected = observations.length < max ? yield* correctedBy(one) : null;
    observations.push({
      dimension: one.dimension.dimension_id,
      text: one.sentence,
      turn_ids: [one.turn.id],
      quotes: [one.sentence],
      ...(corrected === null ? {} : { supersedes: corrected.id }),
    });
  }
  return { observations };
}

/** Tells which of a tenant's own dimensions a sentence is along: the first that has a phrase in it. */
function* findOwn(own: readonly Dimension[]): Steps<(sentence: string) => Dimension | undefined> {
  const ranks = new Map<string, number>();
  for (const [rank, { cues }] of own.entries()) {
    yield;
    for (const cue of cues.map(foldPhrase)) if (!ranks.has(cue)) ranks.set(cue, rank);
  }
  const phrases = yield* indexPhrases(ranks.keys());
  return (sentence) => {
    const found = [...phrases.foundIn(sentence)].map((phrase) => ranks.get(phrase) ?? own.length);
    return own[Math.min(...found)];
  };
}

/** A sentence in which a phrase of a dimension stands. */
interface Cued {
  readonly turn: ObservedTurn;
  readonly told: TextCues;
  readonly sentence: string;
  /** As cues are compared with it. */
  readonly plain: string;
  readonly dimension: Dimension;
}

function isPlatform({ dimension_id: id }: Dimension): boolean {
  return isPlatformDimension(id);
}

function isPersons({ role, speaker }: ObservedTurn): boolean {
  return role === "user" && speaker === "subject";
}

function* ownSentences({ text }: ObservedTurn): Generator<string> {
  if (PROMPT.test(text)) return;
  const lines = withoutOthersWords(text.replace(FENCED, "\n\n")).split(/\r?\n|[\r\u2028\u2029]/);
  const own = lines.map((line) => (MACHINE_LINE.test(line) ? "" : line));
  for (const sentence of eachSentence(own.join("\n"))) yield sentence.trim();
}

/** A danger is told in two words, and amid a question. */
function isStatement(sentence: string, cues: Cues): boolean {
  const plain = foldQuote(sentence);
  const isDanger = cues.isAboutSafety(plain) && cues.of(sentence).speaksOfSelf(plain);
  return (
    sentence.length <= LIMITS.observationCharsMax &&
    (isDanger ||
      (wordsOf(sentence).length >= WORDS_MIN && !asks(sentence) && !cues.isIdiom(plain))) &&
    !cues.isAcknowledgement(sentence) &&
    refusedInObservation(sentence) === null
  );
}

/**
 * The newest earlier observation that a correction takes back: one that speaks of the same, beside what their dimension is about.
 * A step is an earlier observation.
 */
function correctionsAmong(
  known: readonly KnownObservation[],
  cues: Cues,
): (one: Cued) => Steps<KnownObservation | null> {
  // As far back as a model is shown them.
  const standing = known
    .filter(({ supersededBy }) => supersededBy === null)
    .slice(0, LIMITS.observationsKnownMax);
  const wordsOfOld = new Map<KnownObservation, readonly string[]>();
  const phrasesOf = new Map<Dimension, Phrases>();
  return function* ({ turn, told, plain, dimension }) {
    if (!told.hasCorrection(plain)) return null;
    const id = dimension.dimension_id;
    const phrases =
      phrasesOf.get(dimension) ?? createPhrases([...dimension.cues, ...cues.phrasesOf(id)]);
    phrasesOf.set(dimension, phrases);
    // The phrase by which it was found is said of everything; another one of the dimension may be what it is about.
    const usual = new Set([...phrases.foundIn(plain)].flatMap(longWords));
    const telling = new Set(longWords(plain).filter((word) => !usual.has(word)));
    const { speaker } = turn;
    const one = { dimension: id, text: plain, said: plain, outright: plain, speaker };
    for (const old of standing) {
      if (old.observedAt >= turn.observedAt || (old.dimension !== id && !old.isSafety)) continue;
      yield;
      const words = wordsOfOld.get(old) ?? longWords(old.text);
      wordsOfOld.set(old, words);
      const isNamed = words.some((word) => telling.has(word));
      const isReplaced = isNamed && (old.isSafety || replaces(plain, old.text, told));
      if (isReplaced && mayCorrect(one, old, cues)) return old;
    }
    return null;
  };
}

function longWords(text: string): readonly string[] {
  return contentWords(text)
    .filter((word) => word.length > 3 || UNSPACED.test(word))
    .map((word) => word.slice(0, 6));
}
