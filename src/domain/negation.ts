import { contentWords, isSameWord } from "./said.js";

const SENTENCES = new Intl.Segmenter("und", { granularity: "sentence" });

const ENGLISH =
  "not|no|never|none|nobody|nothing|neither|nor|without|cannot|hardly|false|untrue|wrong that|is wrong(?! with)|non|myth|deny|denies|denied|" +
  "(?:do|does|did|is|are|was|were|have|has|had|ca|could|wo|would|should|must|need|ai)n'?t";
const GERMAN = "nicht|nichts|kein\\p{L}{0,2}|nie|niemals|ohne|weder";
const ROMANCE =
  "ne|n'\\p{L}+|pas|jamais|aucune?|sans|nunca|jamás|ning[uú]n|ninguna|tampoco|mai|nessun[oa]?|senza|não|nenhuma?|sem|nem";
const OTHERS =
  "niet|geen|nooit|zonder|inte|ikke|aldrig|aldri|не|нет|никогда|без|ليس|ليست|لست|لا|لم|لن";
/** Words that deny something where words have no borders. */
const UNSPACED_NEGATION = /ません|ない|なかっ|なく|不|没|沒|無|ไม่/u;
/** Nobody sees them, and they part words. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
/** Words that turn what is said into its opposite. */
const NEGATION = word(`${ENGLISH}|${GERMAN}|${ROMANCE}|${OTHERS}`);
/** Words in which a statement can keep what a negation says without one. */
const NEGATIVE = word(
  "un(?:able|likely|willing|comfortable|happy)|avoid\\p{L}*|stop\\p{L}*|quit\\p{L}*|dislik\\p{L}*|hat(?:e|es|ed)|refus\\p{L}*|" +
    "lack\\p{L}*|declin\\p{L}*|reject\\p{L}*|fail\\p{L}*|struggl\\p{L}*|difficult\\p{L}*|trouble|hard|gave up|gives? up|ended|" +
    "few|little|lost|loses?|rarely|seldom|against|free of|\\p{L}+-free|instead",
);
/** Words of how somebody takes something: one says the opposite of the other. */
const LIKES = word(
  "lov(?:e|es|ed|ing)|lik(?:e|es|ed)|enjoy\\p{L}*|mag|liebe|gefällt|gusta|encanta",
);
const DISLIKES = word("hat(?:e|es|ed|ing)|dislik\\p{L}*|loath\\p{L}*|detest\\p{L}*|hasse|odio");
/** A sentence of these words alone, and of words that say nothing, takes back the one before it. */
const TAKEN_BACK =
  /^(?:true|right|correct|case|wahr|richtig|stimmt|das|ist|war|es|nein|doch|eso|esto|es|cierto|verdad)$/;
const TAKEN_BACK_BY =
  /^(?:wrong|lie|lied|lying|kidding|joke|joking|mistake|mistaken|nonsense|gelogen|falsch|quatsch|scherz|unsinn|mentira|falso|broma)$/;
const TAKEN_BACK_CHARS_MAX = 80;
/** A word in two alphabets isn't what it looks like: it may be a "not". */
const MIXED =
  /(?<!\p{L})(?=\p{L}{0,40}\p{Script=Latin})(?=\p{L}{0,40}[\p{Script=Cyrillic}οανιτρυκε])\p{L}{2}/iu;
/** An answer, or a saying, that negates nothing of what comes with it. */
const HARMLESS = new RegExp(
  [
    "^\\s*(?:no|nope|non|ne)\\s*[,.!;:–—-]",
    "^\\s*no\\s(?=(?:i|i'\\w+|my|we)\\s)",
    "\\bno (?:problem|worries|doubt|matter)\\b",
    "\\bnot (?:only|just)\\b",
  ].join("|"),
  "giu",
);
/** Where the words behind a quote begin to be about something else. */
const NEXT_CLAUSE =
  /[,;:–—(]|\s(?:and|but|or|because|since|so|when|while|und|aber|oder|et|mais|y|pero|e|ma|mas|en|maar)\s/iu;

interface Place {
  readonly start: number;
  readonly end: number;
}

/** True where a quote was cut out of a sentence that takes it back: "allergic to penicillin" of "I'm not allergic to penicillin". */
export function isCutFromNegation(text: string, { start, end }: Place): boolean {
  const [first, last] = [sentenceAt(text, start), sentenceAt(text, Math.max(start, end - 1))];
  const [behind = ""] = text.slice(end, last.end).split(NEXT_CLAUSE);
  return negates(text.slice(first.start, start)) || negates(behind);
}

/** True where a statement has lost a negation of what it is made of, or has one of its own. */
export function isReversed(text: string, said: string): boolean {
  return negates(text) ? !isNegative(said) : negates(said) && !isNegative(text);
}

/** True where a quote stands in questions alone: who asks says nothing yet. */
export function isAsked(text: string, { start, end }: Place): boolean {
  const sentence = sentenceAt(text, Math.max(start, end - 1));
  return /[?？؟⸮]["'”’)\]]{0,4}\s*$/u.test(text.slice(sentence.start, sentence.end));
}

/** A quote with the sentence behind it, where that says that it isn't so: "No, that's not true." */
export function withTakingBack(text: string, place: Place): Place {
  const { end } = sentenceAt(text, Math.max(place.start, place.end - 1));
  const next = sentenceAt(text, end);
  return takesBack(text.slice(next.start, next.end))
    ? { start: place.start, end: next.end }
    : place;
}

/** True where a sentence of a quote, or the one behind it, takes back what stands before it. */
export function isTakenBack(text: string, place: Place): boolean {
  const { start, end } = withTakingBack(text, place);
  const first = sentenceAt(text, start);
  const later = text.slice(Math.max(start, first.end), end);
  return [...SENTENCES.segment(later)].some(({ segment }) => takesBack(segment));
}

function takesBack(sentence: string): boolean {
  if (sentence.length > TAKEN_BACK_CHARS_MAX) return false;
  const words = contentWords(sentence).filter((one) => !negates(one));
  return (
    words.every((one) => TAKEN_BACK.test(one) || TAKEN_BACK_BY.test(one)) &&
    (negates(sentence) || words.some((one) => TAKEN_BACK_BY.test(one)))
  );
}

/**
 * True where a part of a text says of something the opposite of what is said of it: "loves mornings and hates evenings" of "I
 * hate mornings and love evenings". Only what is said in words that deny or judge counts.
 */
export function isSwapped(text: string, said: string): boolean {
  const clauses = clausesOf(said).map((clause) => ({ clause, words: subjectsOf(clause) }));
  return clausesOf(text).some((clause) => {
    const words = subjectsOf(clause);
    const judged = judgementOf(clause);
    if (words.length === 0 || judged === 0) return false;
    const shared = clauses.map((one) => words.filter((it) => isAmong(it, one.words)).length);
    const most = Math.max(0, ...shared);
    const same = clauses.filter((_, at) => most > 0 && shared[at] === most);
    return (
      same.length > 0 &&
      same.every((one) => isJudged(one.clause) && judgementOf(one.clause) === -judged)
    );
  });
}

/** What a clause is about, without how it is taken. */
function subjectsOf(clause: string): readonly string[] {
  return contentWords(clause).filter(
    (one) => !LIKES.test(one) && !DISLIKES.test(one) && !negates(one),
  );
}

function isJudged(clause: string): boolean {
  return negates(clause) || LIKES.test(clause) || DISLIKES.test(clause);
}

/** 1 for yes, -1 for no, 0 where words may mean either. */
function judgementOf(clause: string): number {
  const [likes, dislikes] = [LIKES.test(clause), DISLIKES.test(clause)];
  if ((likes && dislikes) || (!dislikes && NEGATIVE.test(plain(clause)))) return 0;
  return negates(clause) === dislikes ? 1 : -1;
}

function isAmong(one: string, words: readonly string[]): boolean {
  return words.some((other) => isSameWord(one, other));
}

const WORD_CHARS_MAX = 64;

/** Where a word that goes on at a place ends: half of a "now" is a "no". */
function betweenWords(text: string, at: number): number {
  let place = at;
  const most = Math.min(text.length, at + WORD_CHARS_MAX);
  while (place > 0 && place < most && /^[\p{L}\p{M}]{2}/u.test(text.slice(place - 1, place + 1)))
    place += 1;
  return place;
}

/** Parts of a text in which a negation is about all that stands there. */
export function clausesOf(text: string): readonly string[] {
  return [...SENTENCES.segment(text)].flatMap(({ segment }) => segment.split(NEXT_CLAUSE));
}

/** The sentences of a text that a part of it stands in. */
export function sentencesAround(text: string, { start, end }: Place): string {
  const [first, last] = [sentenceAt(text, start), sentenceAt(text, Math.max(start, end - 1))];
  return text.slice(first.start, last.end).trim();
}

/** Units on each side in which a sentence is looked for: a turn may be one long line, and be cited by many statements. */
const REACH = 4_000;

function sentenceAt(text: string, at: number): Place {
  const from = betweenWords(text, Math.max(0, at - REACH));
  const to = betweenWords(text, Math.min(text.length, at + REACH));
  const sentence = SENTENCES.segment(text.slice(from, to)).containing(at - from);
  if (sentence === undefined) return { start: at, end: at };
  const start = from + sentence.index;
  return { start, end: start + sentence.segment.length };
}

/** True for words that deny something, and for one whose letters are of two alphabets. */
export function negates(text: string): boolean {
  const said = plain(text);
  return NEGATION.test(said) || UNSPACED_NEGATION.test(said) || MIXED.test(said);
}

function isNegative(text: string): boolean {
  return negates(text) || NEGATIVE.test(plain(text));
}

function plain(text: string): string {
  return withoutHarmless(text.normalize("NFKC").replaceAll(UNSEEN, "").replaceAll("\u2019", "'"));
}

/** Without what looks like a denial and is none. */
export function withoutHarmless(text: string): string {
  return text.replaceAll(HARMLESS, " ");
}

/** Not \b: JavaScript takes only the letters of English for letters. */
function word(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${words})(?![\\p{L}\\p{M}\\p{N}])`, "iu");
}
