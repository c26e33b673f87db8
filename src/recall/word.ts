/** A language that words are stemmed in. Others are found by whole words and pieces of them. */
export type Language =
  | "da"
  | "de"
  | "en"
  | "es"
  | "fi"
  | "fr"
  | "hu"
  | "it"
  | "nl"
  | "no"
  | "pt"
  | "ro"
  | "ru"
  | "sv"
  | "tr";

/** The language of a text; null where it is unknown. */
export type TextLanguage = Language | null;

/** How a text is taken: a turn as what it is; a question as whatever the turns are that it is asked of. */
export interface Reading {
  /** Its own language: what says nothing in it is left out. */
  readonly language: TextLanguage;
  readonly readAs: readonly TextLanguage[];
}

/** One word of a text. However many of its terms a turn has, it is found once. */
export interface Word {
  /** Terms that stand for the whole word: any one of them is enough. */
  readonly forms: readonly string[];
  /** The term of the word just as it is written, where that says more than its forms; else null. */
  readonly exact: string | null;
  /** Terms of its pieces: the more of them a turn has, the likelier it has an inflection of the word. */
  readonly pieces: readonly string[];
  /** True in a text of unknown language for what says nothing in some language: it is found, but makes no text longer. */
  readonly isFiller?: boolean;
}

export type EmitWord = (word: Word) => void;

/** A word that is only ever found whole: a number, a code, a date. */
export function wholeWord(term: string): Word {
  return { forms: [term], exact: null, pieces: [] };
}
