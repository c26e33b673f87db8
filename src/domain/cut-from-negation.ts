import { negates } from "./negation.js";
import type { TextPlace } from "./quote.js";
import { clauseAtStart, lastSentenceOf, sentenceAt } from "./sentences.js";

/** True where a quote was cut out of a sentence that takes it back: "allergic to penicillin" of "I'm not allergic to penicillin". */
export function isCutFromNegation(text: string, place: TextPlace): boolean {
  const [first, last] = [sentenceAt(text, place.start), lastSentenceOf(text, place)];
  const behind = clauseAtStart(text.slice(place.end, last.end));
  return negates(text.slice(first.start, place.start)) || negates(behind);
}
