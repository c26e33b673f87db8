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
const NEGATION = anyWord(`${ENGLISH}|${GERMAN}|${ROMANCE}|${OTHERS}`);
/** Words in which a statement can keep what a negation says without one. */
const NEGATIVE = anyWord(
  "un(?:able|likely|willing|comfortable|happy)|avoid\\p{L}*|stop\\p{L}*|quit\\p{L}*|dislik\\p{L}*|hat(?:e|es|ed)|refus\\p{L}*|" +
    "lack\\p{L}*|declin\\p{L}*|reject\\p{L}*|fail\\p{L}*|struggl\\p{L}*|difficult\\p{L}*|trouble|hard|gave up|gives? up|ended|" +
    "few|little|lost|loses?|rarely|seldom|against|free of|\\p{L}+-free|instead",
);
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

/** True where a statement has lost a negation of what it is made of, or has one of its own. */
export function isReversed(text: string, said: string): boolean {
  return negates(text) ? !isNegative(said) : negates(said) && !isNegative(text);
}

/** True for words that deny something, and for one whose letters are of two alphabets. */
export function negates(text: string): boolean {
  const said = plain(text);
  return NEGATION.test(said) || UNSPACED_NEGATION.test(said) || MIXED.test(said);
}

function isNegative(text: string): boolean {
  return negates(text) || saysNegative(text);
}

/** True for words that say without a negation what one would say. */
export function saysNegative(text: string): boolean {
  return NEGATIVE.test(plain(text));
}

function plain(text: string): string {
  return withoutHarmless(text.normalize("NFKC").replaceAll(UNSEEN, "").replaceAll("\u2019", "'"));
}

/** Without what looks like a denial and is none. */
export function withoutHarmless(text: string): string {
  return text.replaceAll(HARMLESS, " ");
}

/** Any of these words, whole. Not \b: JavaScript takes only the letters of English for letters. */
export function anyWord(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${words})(?![\\p{L}\\p{M}\\p{N}])`, "iu");
}
