import { isFunctionWord } from "./function-words.js";
import { foldSpelling } from "./spelling.js";

/** Knows the words of languages that put no spaces between them. */
const WORDS = new Intl.Segmenter("und", { granularity: "word" });
/** English endings, under which a word stays the same. */
const ENDING = /(?:ing|ed|es|s|e|y)$/;
const STEM_MIN = 3;
/** Its parts have no letter in common, so that no text makes it try again: a turn may be long and hostile. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:[.,-]+[\p{L}\p{M}\p{N}]+)*/gu;
/** Longer words are the same from this beginning on, as far as they end in no more than a few letters. */
const BEGINNING_MIN = 4;
const END_MAX = 3;

/** Words of a text as they are compared, numbers with their points among them. */
export function plainWords(text: string): ReadonlySet<string> {
  return new Set(foldSpelling(text).match(WORD) ?? []);
}

const NUMBER = /\p{N}/u;
/** Numbers as English, German and Spanish spell them, but for "one", which counts nothing as a rule. */
const SPELLED =
  /^(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|(?:zwan|drei|vier|fünf|sech|sieb|acht|neun)[zß]ig|hundert|tausend|halbe[nrs]?|doppelt|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|veinte|treinta|cuarenta|cincuenta|cien|mil|medi[ao]|doble|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|half|double|twice|dozen)$/;

/** What a text counts and measures. */
export interface Numbers {
  readonly words: ReadonlySet<string>;
  readonly amounts: ReadonlySet<string>;
}

export function numbersIn(text: string): Numbers {
  const numbers = [...plainWords(text)].filter((word) => NUMBER.test(word) || SPELLED.test(word));
  return { words: new Set(numbers), amounts: new Set(amountsOf(text)) };
}

/** True where a text has a number that nothing that it cites has. */
export function hasOwnNumber(text: Numbers, cited: readonly Numbers[]): boolean {
  return [...text.words].some((number) => !cited.some(({ words }) => words.has(number)));
}

/** True where a number of a text has another unit than in what it cites: "5 g" of "5 mg". */
export function hasOwnUnit(text: Numbers, cited: readonly Numbers[]): boolean {
  return [...text.amounts].some((amount) => !cited.some(({ amounts }) => amounts.has(amount)));
}

/** Numbers, each with the unit behind it: a unit has three letters at most or a name of its own, and any other word is compared as a word. */
function amountsOf(text: string): readonly string[] {
  const plain = foldSpelling(text);
  const found = plain.matchAll(
    /(\p{N}[\p{N}.,]*)\s*(\p{L}{1,3}|(?:micro|milli|centi|deci|kilo|mikro|zenti|dezi)?(?:gram|gramm|gramme|gramo|lit(?:er|re|ro)|met(?:er|re|ro))s?)(?![\p{L}\p{M}])/gu,
  );
  return [...found].flatMap(([, amount, unit = ""]) =>
    isFunctionWord(unit) ? [] : [`${amount} ${unit}`],
  );
}

/** True where at least half of the longer words of a text are those of what it cites. */
export function isMostlySaid(words: ReadonlySet<string>, cited: ReadonlySet<string>): boolean {
  const long = [...words].filter((word) => word.length > 3);
  return long.filter((word) => cited.has(word)).length * 2 >= long.length;
}

/** Words of a text that say something, each once. */
export function contentWords(text: string): readonly string[] {
  return [...new Set(wordsOf(text).filter((word) => !isFunctionWord(word)))];
}

/** Words of a text in their order, in scripts without spaces too. */
export function wordsOf(text: string): readonly string[] {
  const plain = foldSpelling(text).replaceAll("\u2019", "'");
  return [...WORDS.segment(plain)].flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? [segment] : [],
  );
}

/** Which part of what a text says stands in what it cites, between 0 and 1; 0 for a text that says nothing. */
export function shareSaid(text: string, cited: string): number {
  const words = contentWords(text);
  const isSaid = amongWords(contentWords(cited));
  return words.length === 0 ? 0 : words.filter(isSaid).length / words.length;
}

/** Tells whether a word is one of some, in whatever form. Only those that begin alike are compared: there may be hundreds. */
export function amongWords(words: readonly string[]): (word: string) => boolean {
  const byBeginning = new Map<string, string[]>();
  for (const word of words) {
    const same = byBeginning.get(word.slice(0, STEM_MIN));
    if (same === undefined) byBeginning.set(word.slice(0, STEM_MIN), [word]);
    else same.push(word);
  }
  return (word) =>
    byBeginning.get(word.slice(0, STEM_MIN))?.some((other) => isSameWord(word, other)) === true;
}

/** True for forms of one word: "prefers" and "prefer", "allergy" and "allergic". Numbers are the same or not. */
export function isSameWord(one: string, other: string): boolean {
  if (one === other) return true;
  if (NUMBER.test(one + other)) return false;
  if (stemOf(one) === stemOf(other)) return true;
  let common = 0;
  while (common < one.length && one[common] === other[common]) common += 1;
  return common >= BEGINNING_MIN && Math.max(one.length, other.length) - common <= END_MAX;
}

function stemOf(word: string): string {
  const stem = word.replace(ENDING, "");
  return stem.length < STEM_MIN ? word : stem;
}
