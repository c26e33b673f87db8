import { LIMITS } from "../domain/limits.js";
import { asksForNothing } from "./asking.js";
import { emitDates, spellDay } from "./dates.js";
import { fold, spell } from "./fold.js";
import { emitWords } from "./grams.js";
import { emitIdentifiers } from "./identifiers.js";
import { languageOf } from "./languages.js";
import { hashTerm } from "./term-hash.js";
import { DERIVED_TERM, languageTerm, QUESTION_TERM, speakerTerm, type Terms } from "./terms.js";
import { type Timing, timingOf } from "./timing.js";
import { type EmitWord, type Reading, type TextLanguage, type Word, wholeWord } from "./word.js";

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Ends with a question, but for closing marks and what stands in brackets behind it, such as a picture's title. */
const ASKS = /[?؟](?=["'”’»)\s]*(?:\[[^\]]*\]\s*)?$)/u;
/** Is spelled as another number: 10² isn't 102, and who says the one hasn't said the other again. */
const NUMBER_FORM = /\p{No}/u;
/** Characters at the end of a text in which that question is looked for. */
const ENDING = 1_000;

export interface AnalysedTurn {
  readonly text: string;
  /** The speaker's name as people write it, or null where nobody is named. */
  readonly speaker: string | null;
  /** True where it says again what others said, as an assistant and a summary do. */
  readonly isDerived?: boolean;
  /** When it was said. Its date is searchable, in UTC. */
  readonly observedAt: Date;
}

/** Terms of a turn: its language, its speaker's name, its date and its words. */
export function analyseTurn({ text, speaker, isDerived, observedAt }: AnalysedTurn): Terms {
  const counter = new TermCounter(LIMITS.termsPerTurnMax);
  const spelled = spell(text);
  const language = languageOfText(text);
  const reading = { language, readAs: [language] };
  counter.mark(languageTerm(language));
  if (isDerived) counter.mark(DERIVED_TERM);
  if (ASKS.test(spelled.slice(-ENDING))) counter.mark(QUESTION_TERM);
  // First, so that a long text can't push them out.
  if (speaker !== null) {
    const name = spell(speaker);
    for (const word of wordsOf(name)) counter.mark(speakerTerm(fold(word)));
    emitText(name, reading, counter.add);
  }
  emitText(spellDay(observedAt), reading, counter.add);
  emitText(spelled, reading, counter.add);
  const said = NUMBER_FORM.test(text) ? text.normalize("NFC").toLowerCase() : spelled;
  return { ...counter.terms(), said: hashSaid(said, speaker, isDerived ?? false) };
}

function hashSaid(spelled: string, speaker: string | null, isDerived: boolean): number {
  return hashTerm(JSON.stringify([isDerived, speaker, spelled.trim().split(/\s+/)]));
}

export interface Question {
  readonly words: readonly Word[];
  /** Terms by which its words may name a speaker. */
  readonly speakers: readonly string[];
  readonly timing: Timing;
}

/** True for a question that names nothing to look for: then there is nothing to match by. */
export function namesNothing(question: string): boolean {
  return asksForNothing(wordsOf(spellAsked(question)).map(fold));
}

/** What a question asks for, in the languages of the turns that it is asked of. */
export function analyseQuestion(
  text: string,
  languages: readonly TextLanguage[],
  now: Date,
): Question {
  const folded = wordsOf(spellAsked(text)).map(fold);
  return {
    words: askedWords(text, languages),
    speakers: [...new Set(folded)].map(speakerTerm),
    timing: timingOf(text, folded, languageOf(folded), now),
  };
}

/** Its words alone, each once. */
export function askedWords(question: string, languages: readonly TextLanguage[]): readonly Word[] {
  const words = new Map<string, Word>();
  const spelled = spellAsked(question);
  const language = languageOf(wordsOf(spelled).map(fold));
  emitText(spelled, { language, readAs: languages }, (word) => {
    words.set(`${word.forms.join(" ")} ${word.exact ?? ""}`, word);
  });
  return [...words.values()];
}

/** The words of a part of a text in that language; what says nothing there is among them. */
export function wordsOfPart(part: string, language: TextLanguage): readonly Word[] {
  const words: Word[] = [];
  const readAs = language === null ? [null] : [language, null];
  emitText(spell(part), { language: null, readAs }, (word) => words.push(word));
  return words;
}

export function languageOfText(text: string): TextLanguage {
  return languageOf(wordsOf(spell(text)).map(fold));
}

/** One character can stand for a whole sentence: spelled out, a question stays as short as it may be. */
function spellAsked(question: string): string {
  return spell(question).slice(0, LIMITS.queryCharsMax);
}

function wordsOf(spelled: string): readonly string[] {
  return spelled.match(WORD) ?? [];
}

// INVARIANT: the one analyser. What a turn and a question spell alike must come out alike.
function emitText(spelled: string, reading: Reading, emit: EmitWord): void {
  const folded = fold(spelled);
  emitDates(folded, (term) => emit(wholeWord(term)));
  const rest = emitIdentifiers(spelled, (term) => emit(wholeWord(fold(term))));
  for (const [run] of rest.matchAll(WORD)) emitWords(run, reading, emit);
}

class TermCounter {
  readonly #termsMax: number;
  readonly #counts = new Map<string, number>();
  #length = 0;

  constructor(termsMax: number) {
    this.#termsMax = termsMax;
  }

  /** Counts a word of the text. */
  readonly add = ({ forms, exact, pieces, isFiller }: Word): void => {
    for (const term of forms) this.mark(term);
    if (exact !== null) this.mark(exact);
    for (const term of pieces) this.mark(term);
    if (!isFiller) this.#length += 1;
  };

  /** Counts a term that is no word of the text. */
  mark(term: string): void {
    // A lone mark folds to nothing.
    if (term === "" || term.length > LIMITS.wordCharsMax + 1) return;
    const count = this.#counts.get(term);
    if (count === undefined && this.#counts.size >= this.#termsMax) return;
    this.#counts.set(term, (count ?? 0) + 1);
  }

  terms(): Omit<Terms, "said"> {
    return {
      list: [...this.#counts.keys()],
      counts: [...this.#counts.values()],
      length: this.#length,
    };
  }
}
