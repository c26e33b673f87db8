import type { Cues } from "./cues.js";
import { isCutFromNegation } from "./cut-from-negation.js";
import { invalid } from "./fields.js";
import { LIMITS } from "./limits.js";
import type { FoundQuote } from "./observation-quotes.js";
import { foldQuote } from "./quote.js";
import { contentWords } from "./said.js";
import { sentencesAround } from "./sentences.js";
import { withTakingBack } from "./taken-back.js";

/** Those quotes in which one person says something, as it was meant: an observation rests on them. */
export function ownQuotes(
  found: readonly FoundQuote[],
  cues: Cues,
  field: string,
): readonly [FoundQuote, ...FoundQuote[]] {
  const [first, ...others] = found.filter(
    ({ turn, said }) => turn.role === "user" && saysSomething(said, cues),
  );
  if (first === undefined) throw invalid(field, "has no words of a person");
  const own = [first, ...others] as const;
  if (own.some(({ turn }) => turn.speaker !== first.turn.speaker))
    throw invalid(field, "mixes what two people said");
  if (own.some(({ turn, quote }) => isCutFromNegation(turn.text, quote)))
    throw invalid(field, "leaves out the words of its sentence that deny it");
  return own;
}

function saysSomething(said: string, cues: Cues): boolean {
  return contentWords(said).length > 0 && !cues.isAcknowledgement(said);
}

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
