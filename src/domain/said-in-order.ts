import { isFunctionWord } from "./function-words.js";
import { negates, withoutHarmless } from "./negation.js";
import { contentWords, isSameWord, wordsOf } from "./said.js";
import { clausesOf } from "./sentences.js";

/** Stand for whatever denies, the person themselves, and what is so now, however these are put. */
const DENIAL = "\u00ac";
const SELF = "i";
const IS = "is";
const HAS = "has";
const FORMS: ReadonlyMap<string, string> = new Map(
  (
    [
      [
        SELF,
        "i me my mine myself we us our ours ourselves ich mich mir mein meine meinen meinem meiner wir uns unser unsere yo mi mis",
      ],
      [IS, "am is are m s re be being bin ist sind soy es estoy está"],
      [HAS, "have has ve having habe hat haben"],
      ["would", "d"],
      ["will", "ll"],
    ] as const
  ).flatMap(([form, words]) => words.split(" ").map((word): [string, string] => [word, form])),
);
/** How somebody who writes about the person calls them. */
const THIRD = new Set(
  "he him his himself she her hers herself they them their theirs themselves".split(" "),
);
/** Function words that change nothing. Any other says who, when, where, whether or how much. */
const SILENT = new Set(
  `a an the this that these those do does doing any so and but then just also very quite really own same well yes ok okay please hello hi hey
  thanks thank here there able longer anymore`.split(/\s+/),
);
const UNABLE = /^un(?:able|willing)$/;
/** Behind it a verb is named, as it would be without. */
const ABLE = /^(?:(?:un)?able|unwilling)$/;
/** What is preferred is so, however politely it is put. */
const POLITE = /^(?:prefer|rather)$/;
/** What makes the words before it less than what they say. */
const CONDITION =
  /(?<![\p{L}\p{M}])(?:if|unless|except|but|until|as long as|wenn|falls|außer|aber|solange|si|salvo|pero)(?![\p{L}\p{M}])/iu;

/**
 * True where a text says what its sentences say, word by word in their order, and leaves out at most their end: a word that is left out or put
 * otherwise before may be whose, whether, when and how much. The person may be named as whoever writes about them would, or not at all.
 */
export function saysInOrder(text: string, sentences: string): boolean {
  return isToldBy(tellingWords(text), readFrom(sentences));
}

/** A text that others are held to, whole and clause by clause, read once for all of them. */
export function clausesToSay(text: string): readonly Said[] {
  return [text, ...clausesOf(text)].map(readFrom);
}

/** The same clause by clause, each by one of several texts or a clause of it: nothing is put together of two. */
export function saysEachInOrder(text: string, sources: readonly Said[]): boolean {
  const clauses = clausesOf(text).filter((clause) => contentWords(clause).length > 0);
  return (
    clauses.length > 0 &&
    clauses.map(tellingWords).every((words) => sources.some((source) => isToldBy(words, source)))
  );
}

/** What was said, as it is compared. */
export interface Said {
  readonly words: readonly string[];
  /** True where its end can't be left out. */
  readonly isConditional: boolean;
}

function readFrom(text: string): Said {
  return { words: tellingWords(text), isConditional: CONDITION.test(text) };
}

function isToldBy(words: readonly string[], { words: said, isConditional }: Said): boolean {
  let isAboutThem = false;
  let at = 0;
  for (const word of words) {
    while (at < said.length && !isSame(word, said[at]) && isLeftOut(said[at])) at += 1;
    if (at < said.length && isSame(word, said[at])) {
      isAboutThem ||= said[at] === SELF && word !== SELF;
      at += 1;
    } else if (word !== IS) return false;
  }
  // Who calls the person "he" calls somebody else "I".
  if (words.length === 0 || (isAboutThem && words.includes(SELF))) return false;
  return at === said.length || !isConditional;
}

function isLeftOut(said: string | undefined): boolean {
  return said === SELF || said === IS || said === HAS;
}

function isSame(word: string, said: string | undefined): boolean {
  if (said === undefined) return false;
  if (said === SELF) return word === SELF || THIRD.has(word);
  if (isFunctionWord(word) || isFunctionWord(said)) return word === said;
  return isSameWord(word, said);
}

function tellingWords(text: string): readonly string[] {
  const words = wordsOf(withoutHarmless(text));
  return words.flatMap((word, at) => {
    if (negates(word) || UNABLE.test(word)) return [DENIAL];
    if (!isFunctionWord(word)) return [FORMS.get(word) ?? word];
    if (word === "to" && ABLE.test(words[at - 1] ?? "")) return [];
    return word
      .split("'")
      .filter((part) => !SILENT.has(part))
      .map((part) => FORMS.get(part) ?? part)
      .filter((part) => part !== "would" || !POLITE.test(words[at + 1] ?? ""));
  });
}
