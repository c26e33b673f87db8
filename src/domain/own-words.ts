import { LIMITS } from "./limits.js";
import type { FoundQuote } from "./observation-quotes.js";
import { foldQuote } from "./quote.js";
import { sentencesAround } from "./sentences.js";
import { withTakingBack } from "./taken-back.js";

/** What one statement says has no lines, and nothing that moves a cursor. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

/** Nothing where one is too long to be held to word by word. */
export function wholeSentences(own: readonly FoundQuote[]): string {
  const sentences = new Set(own.map(({ turn, quote }) => sentencesAround(turn.text, quote)));
  const isLong = [...sentences].some((one) => one.length > LIMITS.observationCharsMax);
  return isLong ? "" : [...sentences].join(" ");
}

export function isQuote(text: string, own: readonly FoundQuote[]): boolean {
  return own.some(({ said }) => foldQuote(said) === foldQuote(text));
}

/** What may hurt the person if it is forgotten stands as it was said, with the words around it that may doubt it or take it back. */
export function inOwnWords({ turn, quote, said }: FoundQuote): string {
  const sentence = sentencesAround(turn.text, withTakingBack(turn.text, quote));
  return oneLine(sentence.length <= LIMITS.observationCharsMax ? sentence : said);
}
