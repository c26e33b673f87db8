import { isFunctionWord } from "./function-words.js";
import { negates, withoutHarmless } from "./negation.js";
import { isSameWord, wordsOf } from "./said.js";

/** Stands for whatever denies, however it is put. */
const DENIAL = "\u00ac";
const UNABLE = /^un(?:able|willing)$/;
/** Function words that say whether: without one of them a guess is told as a fact. */
const MAYBE = /^(?:might|may|could|would|should)$/;
/** What makes the words before it less than what they say. */
const CONDITION =
  /(?<![\p{L}\p{M}])(?:if|unless|except|but|until|as long as|wenn|falls|außer|aber|solange|si|salvo|pero)(?![\p{L}\p{M}])/iu;

/**
 * True where a text says what its sentences say, word by word in their order, and leaves out at most their end: a word that is
 * left out before may be whose, whether and how much. Words that say nothing don't count.
 */
export function saysInOrder(text: string, sentences: string): boolean {
  const words = tellingWords(text);
  const said = tellingWords(sentences);
  if (words.length === 0 || words.length > said.length) return false;
  if (words.length < said.length && CONDITION.test(sentences)) return false;
  return words.every((word, at) => isSameWord(word, said[at] ?? ""));
}

function tellingWords(text: string): readonly string[] {
  return wordsOf(withoutHarmless(text)).flatMap((word) => {
    if (negates(word) || UNABLE.test(word)) return [DENIAL];
    return isFunctionWord(word) && !MAYBE.test(word) ? [] : [word];
  });
}
