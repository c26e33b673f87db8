import type { TextPlace } from "./quote.js";
import { withoutFalseEnds } from "./sentence-ends.js";

const SENTENCES = new Intl.Segmenter("und", { granularity: "sentence" });
/** Where a sentence begins to be about something else. */
const NEXT_CLAUSE =
  /[,;:–—(]|\s(?:and|but|or|because|since|so|when|while|und|aber|oder|et|mais|y|pero|e|ma|mas|en|maar)\s/iu;
/** Units on each side in which a sentence is looked for: a turn may be one long line, and be cited by many statements. */
const REACH = 4_000;
const WORD_CHARS_MAX = 64;

export function sentencesOf(text: string): readonly string[] {
  return [...eachSentence(text)];
}

/** The same one by one: a long text has thousands. */
export function* eachSentence(text: string): Generator<string> {
  for (const { index, segment } of SENTENCES.segment(withoutFalseEnds(text)))
    yield text.slice(index, index + segment.length);
}

/** Parts of a text in which a negation is about all that stands there. */
export function clausesOf(text: string): readonly string[] {
  return sentencesOf(text).flatMap((sentence) => sentence.split(NEXT_CLAUSE));
}

/** The clause that a text begins in. */
export function clauseAtStart(text: string): string {
  const [clause = ""] = text.split(NEXT_CLAUSE);
  return clause;
}

export function sentenceAt(text: string, at: number): TextPlace {
  const from = betweenWords(text, Math.max(0, at - REACH));
  const to = betweenWords(text, Math.min(text.length, at + REACH));
  const sentence = SENTENCES.segment(withoutFalseEnds(text.slice(from, to))).containing(at - from);
  if (sentence === undefined) return { start: at, end: at };
  const start = from + sentence.index;
  return { start, end: start + sentence.segment.length };
}

/** The sentence in which a part of a text ends. */
export function lastSentenceOf(text: string, { start, end }: TextPlace): TextPlace {
  return sentenceAt(text, Math.max(start, end - 1));
}

/** The sentences of a text that a part of it stands in. */
export function sentencesAround(text: string, place: TextPlace): string {
  const [first, last] = [sentenceAt(text, place.start), lastSentenceOf(text, place)];
  return text.slice(first.start, last.end).trim();
}

/** Where a word that goes on at a place ends: half of a "now" is a "no". */
function betweenWords(text: string, at: number): number {
  let place = at;
  const most = Math.min(text.length, at + WORD_CHARS_MAX);
  while (place > 0 && place < most && /^[\p{L}\p{M}]{2}/u.test(text.slice(place - 1, place + 1)))
    place += 1;
  return place;
}
