import { negates } from "./negation.js";
import type { TextPlace } from "./quote.js";
import { contentWords } from "./said.js";
import { lastSentenceOf, sentenceAt, sentencesOf } from "./sentences.js";

/** Words that a denial may be said with: "no, that's not true". */
const SO =
  /^(?:true|right|correct|case|wahr|richtig|stimmt|das|ist|war|es|nein|doch|eso|esto|cierto|verdad)$/;
/** Words that are a denial by themselves. */
const UNTRUE =
  /^(?:wrong|lie|lied|lying|kidding|joke|joking|mistake|mistaken|nonsense|gelogen|falsch|quatsch|scherz|unsinn|mentira|falso|broma)$/;
/** How a sentence begins that puts something else in the place of what was said. */
const ANEW =
  /^\W*(?:oh |ach |äh )?(?:scratch that|forget (?:it|that)|never ?mind|correction|korrektur|on second thoughts?|i mean (?!it(?![\p{L}])|that(?![\p{L}]))|i meant|ich meine? |ich meinte|quatsch|ach nein|ach nö|vergessen sie (?:es|das)|vergiss (?:es|das)|wait,? no(?![\p{L}])|no,? wait|(?:sorry|pardon|entschuldigung|moment),? (?:no|not|i mean|i meant|nein|nicht|ich mein\p{L}*|\d|\p{L}+[.!]?$))/iu;
/** A longer sentence says something of its own. */
const CHARS_MAX = 80;

/** A quote with the sentence behind it, where that says that it isn't so: "No, that's not true." */
export function withTakingBack(text: string, place: TextPlace): TextPlace {
  const next = sentenceAt(text, lastSentenceOf(text, place).end);
  return takesBack(text.slice(next.start, next.end))
    ? { start: place.start, end: next.end }
    : place;
}

/** True where a sentence of a quote, or the one behind it, takes back what stands before it. */
export function isTakenBack(text: string, place: TextPlace): boolean {
  const { start, end } = withTakingBack(text, place);
  const first = sentenceAt(text, start);
  return sentencesOf(text.slice(Math.max(start, first.end), end)).some(takesBack);
}

/** True for a sentence that denies what stands before it and says nothing else, or says that it was meant otherwise. */
function takesBack(sentence: string): boolean {
  if (sentence.length > CHARS_MAX) return false;
  if (ANEW.test(sentence)) return true;
  const words = contentWords(sentence).filter((one) => !negates(one));
  return (
    words.every((one) => SO.test(one) || UNTRUE.test(one)) &&
    (negates(sentence) || words.some((one) => UNTRUE.test(one)))
  );
}
