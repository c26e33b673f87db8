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

/** Parts of a text in which a negation is about all that stands there. */
export function clausesOf(text: string): readonly string[] {
  return [...SENTENCES.segment(text)].flatMap(({ segment }) => segment.split(NEXT_CLAUSE));
}

/** The sentences of a text that a part of it stands in. */
export function sentencesAround(text: string, { start, end }: Place): string {
  const [first, last] = [sentenceAt(text, start), sentenceAt(text, Math.max(start, end - 1))];
  return text.slice(first.start, last.end).trim();
}

function sentenceAt(text: string, at: number): Place {
  const sentence = SENTENCES.segment(text).containing(at);
  if (sentence === undefined) return { start: at, end: at };
  return { start: sentence.index, end: sentence.index + sentence.segment.length };
}

/** True for words that deny something. */
export function negates(text: string): boolean {
  const said = plain(text);
  return NEGATION.test(said) || UNSPACED_NEGATION.test(said);
}

function isNegative(text: string): boolean {
  return negates(text) || NEGATIVE.test(plain(text));
}

function plain(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(UNSEEN, "")
    .replaceAll("\u2019", "'")
    .replaceAll(HARMLESS, " ");
}

/** Not \b: JavaScript takes only the letters of English for letters. */
function word(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${words})(?![\\p{L}\\p{M}\\p{N}])`, "iu");
}
