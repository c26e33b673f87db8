import { isFunctionWord } from "./function-words.js";
import { anyWord } from "./negation.js";
import { amongWords, isSameWord, wordsOf } from "./said.js";
import { clausesOf } from "./sentences.js";

/** The person themselves, in their own words or in those of whoever writes about them. */
const SELF =
  /^(?:(?:i|we|you)(?:'\p{L}+)?|ich|wir|du|man|yo|nosotros|person|user|patient(?:in)?|customer|client|caller|kund(?:e|in)|nutzer(?:in)?)$/u;
const PRONOUN = /^(?:he|she|er|ella|él)(?:'\p{L}+)?$/u;
/** Words for somebody that were named before, or for nobody. */
const WHO = /^(?:sie|es|das|ihr|they|it|dies|ellos|ellas)$/u;
/** Begins what somebody or something is called. */
const ARTICLE =
  /^(?:my|our|his|her|their|the|an?|some|mein\p{L}{0,2}|unser\p{L}{0,2}|seine?\p{L}?|ihre?\p{L}?|der|die|das|eine?\p{L}?|mis?|el|la|los|las|un|una)$/u;
/** Behind these it isn't who does something, but where, when or with whom. */
const PREPOSITION =
  /^(?:in|at|on|to|for|with|without|by|from|of|about|after|before|during|since|until|into|over|under|an|am|auf|aus|bei|beim|durch|für|gegen|im|mit|nach|ohne|seit|um|unter|von|vom|vor|wegen|zu|zum|zur|de|en|con|para|por|sin)$/u;
/** What makes less of a statement than that it is so; to ask somebody isn't to doubt. */
const UNSURE = anyWord(
  "(?:might|may|could|would)(?!\\s+(?:you|like|love|prefer|rather)|n't)|maybe|perhaps|possibly|if|unless|könnte|würde(?!\\s+gern)|vielleicht|eventuell|womöglich|wenn|falls|quizás?|tal vez|si|podría",
);
const HEDGED = anyWord(
  "might|may|could|can|would|maybe|perhaps|possibly|if|unless|when|considers?|considering|könnte|kann|würde|vielleicht|eventuell|womöglich|wenn|falls|bei|quizás?|tal vez|si|podría",
);
/** German verbs that leave their verb to the end, as it is named. */
const MODAL = /^(?:will|möchte|würde|könnte|kann|darf|dürfte|soll|sollte|muss|müsste|mag)$/u;

/**
 * Why a text isn't what it was made of though its words are: it leaves out whose it is ("Smokes" of "My mother smokes"), or that it
 * isn't so, or not yet ("I move" of "I might move", "Smokes" of "I used to smoke"). Null where it leaves out neither. Only clauses
 * that share most words with the text count, and one of them that says it is enough.
 */
export function whatIsLeftOut(text: string, said: string): "whose" | "whether" | null {
  if (wordsOf(text).join(" ") === wordsOf(said).join(" ")) return null;
  const clauses = clausesWithSubjects(said);
  for (const clause of clausesOf(text)) {
    const told = wordsOf(clause);
    const isTold = amongWords(told.filter(isTelling));
    const shared = clauses.map(
      ({ words }) => words.filter((it) => isTelling(it) && isTold(it)).length,
    );
    const most = Math.max(0, ...shared);
    const same = clauses.filter((_, at) => most > 0 && shared[at] === most);
    if (same.length === 0) continue;
    if (same.every((one) => !keepsSubject(told, one))) return "whose";
    if (same.every((one) => !keepsMood(text, told, one))) return "whether";
  }
  return null;
}

/** What a sentence is about by its first words, where that isn't the person: "mother" of "My mother lives here". */
export function otherSubjectOf(sentence: string): string | null {
  const words = wordsOf(sentence);
  const at = words.findIndex(
    (word, place) =>
      SELF.test(word) || (ARTICLE.test(word) && !PREPOSITION.test(words[place - 1] ?? "")),
  );
  if (at < 0 || SELF.test(words[at] ?? "")) return null;
  return words.slice(at + 1).find(isTelling) ?? null;
}

interface Clause {
  readonly clause: string;
  readonly words: readonly string[];
  /** Words of the clause before, where this one may go on about the same. */
  readonly before: readonly string[];
}

function clausesWithSubjects(said: string): readonly Clause[] {
  const clauses = clausesOf(said).map((clause) => ({ clause, words: wordsOf(clause) }));
  return clauses.map((one, at) => ({ ...one, before: clauses[at - 1]?.words ?? [] }));
}

function isTelling(word: string): boolean {
  return !isFunctionWord(word) && [ARTICLE, WHO, SELF].every((one) => !one.test(word));
}

function keepsSubject(told: readonly string[], { words, before }: Clause): boolean {
  const isTold = amongWords(told.filter(isTelling));
  const first = words.findIndex((word) => isTelling(word) && isTold(word));
  const own = subjectIn(words.slice(0, first));
  const subject = own ?? (first === 0 ? subjectIn(before) : null);
  if (subject === null || subject === "self") return true;
  return subject.every((word) => isTold(word) || told.includes(word));
}

/** Who does what follows: the person, the words that somebody else is called by, or null where nobody is named. */
function subjectIn(words: readonly string[]): "self" | readonly string[] | null {
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const word = words[at] ?? "";
    if (SELF.test(word)) return "self";
    if (PRONOUN.test(word)) return [word];
    if (!ARTICLE.test(word) || PREPOSITION.test(words[at - 1] ?? "")) continue;
    const called = words.slice(at + 1).filter(isTelling);
    return called.length === 0 ? null : called;
  }
  return null;
}

function keepsMood(text: string, told: readonly string[], { clause, words }: Clause): boolean {
  if (UNSURE.test(clause) && !HEDGED.test(text)) return false;
  return !words.some((word, at) => isNamed(words, at) && isFiniteIn(told, word, words[at - 2]));
}

/** True for a verb that is only named: "to walk", "will ... rauchen". */
function isNamed(words: readonly string[], at: number): boolean {
  const word = words[at] ?? "";
  if (words[at - 1] === "to") return isTelling(word);
  return word.endsWith("en") && words.slice(0, at).some((one) => MODAL.test(one));
}

/** True where a text says that somebody does it, and not what they did with it: wanted, used, had. */
function isFiniteIn(told: readonly string[], verb: string, governor: string | undefined): boolean {
  const isKept = governor !== undefined && told.some((word) => isSameWord(word, governor));
  return (
    !isKept &&
    told.some((word, at) => {
      if (!isSameWord(word, verb) || told[at - 1] === "to" || told.some((one) => MODAL.test(one)))
        return false;
      const isOwn = /^(?:i|we|ich|wir)$/u.test(told[at - 1] ?? "");
      return isOwn || (word !== verb && /(?:s|t)$/u.test(word));
    })
  );
}
