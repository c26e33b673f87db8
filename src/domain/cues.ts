import type { DimensionId } from "./ids.js";
import { createPhrases, type Phrases } from "./phrases.js";

/** By what the built-in observer and its rules know what people say of themselves in one language, as its file says. */
export interface LanguageCues {
  /** Such as `de`: the file's name. */
  readonly language: string;
  readonly version: number;
  /** Words by which people speak of themselves. */
  readonly firstPerson: readonly string[];
  /** True where people speak of themselves without them. */
  readonly dropsFirstPerson: boolean;
  /** Words of which texts are made that say nothing. */
  readonly acknowledgements: readonly string[];
  /** Phrases of what may hurt a person if it is forgotten. */
  readonly safety: readonly string[];
  /** Phrases with which people take back what they said before. */
  readonly corrections: readonly string[];
  /** Phrases that have the words of others and say nothing of the person: "I take it". */
  readonly idioms: readonly string[];
  readonly dimensions: ReadonlyMap<DimensionId, readonly string[]>;
}

/** The same, ready to be looked for. */
interface ReadyCues {
  readonly dropsFirstPerson: boolean;
  readonly firstPerson: Phrases;
  readonly corrections: Phrases;
  readonly dimensions: ReadonlyMap<DimensionId, Phrases>;
}

/** The cues of all languages that are there. */
export interface Cues {
  /** Each language with the version of its file, such as `de/2 en/2`: what was observed says by which. */
  readonly version: string;
  /** True for a text of words alone with which nobody says anything about themselves: "ok, thanks". */
  isAcknowledgement(text: string): boolean;
  /** True for what a rewrite may never lose, in whatever language it is. */
  isAboutSafety(text: string): boolean;
  /** True for a sentence with a phrase that says nothing of the person, whatever words it has. */
  isIdiom(sentence: string): boolean;
  /** Those of the language that a text is in; of all of them where that isn't told. */
  of(text: string): TextCues;
  /** Phrases of a dimension of the platform, in all languages. */
  phrasesOf(dimension: DimensionId): readonly string[];
}

/** Cues for sentences of one text, which are folded as cues are. */
export interface TextCues {
  speaksOfSelf(sentence: string): boolean;
  hasCorrection(sentence: string): boolean;
  /** True where the person says something of themselves along the dimension. */
  tells(sentence: string, dimension: DimensionId): boolean;
}

/** Puts the languages together. `languageOf` tells which one a text is in, or null. */
export function createCues(
  files: readonly LanguageCues[],
  languageOf: (text: string) => string | null,
): Cues {
  const ready = files.map((file) => [file.language, readyCuesOf(file)] as const);
  const byLanguage = new Map(ready.map(([language, cues]) => [language, textCuesOf([cues])]));
  const all = textCuesOf(ready.map(([, cues]) => cues));
  const safety = createPhrases(files.flatMap((file) => file.safety));
  const idioms = createPhrases(files.flatMap((file) => file.idioms));
  const acknowledgements = new Set(files.flatMap((file) => file.acknowledgements));
  return {
    version: files.map(({ language, version }) => `${language}/${version}`).join(" "),
    isAcknowledgement: (text) =>
      (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).every((it) =>
        acknowledgements.has(it),
      ),
    isAboutSafety: (text) => safety.standIn(text),
    isIdiom: (sentence) => idioms.standIn(sentence),
    of: (text) => byLanguage.get(languageOf(text) ?? "") ?? all,
    phrasesOf: (dimension) => files.flatMap((file) => file.dimensions.get(dimension) ?? []),
  };
}

function readyCuesOf(file: LanguageCues): ReadyCues {
  return {
    dropsFirstPerson: file.dropsFirstPerson,
    firstPerson: createPhrases(file.firstPerson),
    corrections: createPhrases(file.corrections),
    dimensions: new Map([...file.dimensions].map(([id, phrases]) => [id, createPhrases(phrases)])),
  };
}

function textCuesOf(languages: readonly ReadyCues[]): TextCues {
  return {
    speaksOfSelf: (sentence) => languages.some(({ firstPerson }) => firstPerson.standIn(sentence)),
    hasCorrection: (sentence) => languages.some(({ corrections }) => corrections.standIn(sentence)),
    // Cue and speaker have to be of one language: one's pronoun may be another's article.
    tells: (sentence, dimension) =>
      languages.some(
        ({ dimensions, dropsFirstPerson, firstPerson }) =>
          dimensions.get(dimension)?.standIn(sentence) === true &&
          (dropsFirstPerson || firstPerson.standIn(sentence)),
      ),
  };
}
