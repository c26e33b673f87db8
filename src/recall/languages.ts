import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as hungarian } from "@orama/stemmers/hungarian";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { stopwords as daWords } from "@orama/stopwords/danish";
import { stopwords as nlWords } from "@orama/stopwords/dutch";
import { stopwords as enWords } from "@orama/stopwords/english";
import { stopwords as fiWords } from "@orama/stopwords/finnish";
import { stopwords as frWords } from "@orama/stopwords/french";
import { stopwords as deWords } from "@orama/stopwords/german";
import { stopwords as huWords } from "@orama/stopwords/hungarian";
import { stopwords as itWords } from "@orama/stopwords/italian";
import { stopwords as noWords } from "@orama/stopwords/norwegian";
import { stopwords as ptWords } from "@orama/stopwords/portuguese";
import { stopwords as roWords } from "@orama/stopwords/romanian";
import { stopwords as ruWords } from "@orama/stopwords/russian";
import { stopwords as esWords } from "@orama/stopwords/spanish";
import { stopwords as svWords } from "@orama/stopwords/swedish";
import { stopwords as trWords } from "@orama/stopwords/turkish";
import { fold, spell } from "./fold.js";
import type { Language } from "./word.js";

const LANGUAGES = {
  da: { stemmer: danish, words: daWords },
  de: { stemmer: german, words: deWords },
  en: { stemmer: english, words: enWords },
  es: { stemmer: spanish, words: esWords },
  fi: { stemmer: finnish, words: fiWords },
  fr: { stemmer: french, words: frWords },
  hu: { stemmer: hungarian, words: huWords },
  it: { stemmer: italian, words: itWords },
  nl: { stemmer: dutch, words: nlWords },
  no: { stemmer: norwegian, words: noWords },
  pt: { stemmer: portuguese, words: ptWords },
  ro: { stemmer: romanian, words: roWords },
  ru: { stemmer: russian, words: ruWords },
  sv: { stemmer: swedish, words: svWords },
  tr: { stemmer: turkish, words: trWords },
} as const satisfies Record<Language, unknown>;

export const KNOWN_LANGUAGES = Object.keys(LANGUAGES) as readonly Language[];

/** Stop words that name something too. A question for them must find it. */
const NAMING = new Set(["may", "mine", "will"]);

/** Words that say nothing in a statement, beside those of the lists: that it is so now is what each one says. */
const BESIDE: Partial<Record<Language, readonly string[]>> = {
  de: ["jetzt"],
  en: ["also", "just", "now", "still", "whose"],
  es: ["ahora", "aún", "todavía"],
  fr: ["maintenant", "encore"],
  it: ["adesso", "ora"],
  pt: ["agora", "ainda"],
  ru: ["сейчас", "теперь"],
};

/** For each stop word, the languages that it says nothing in. */
const STOP_WORDS: ReadonlyMap<string, ReadonlySet<Language>> = collect();

function collect(): ReadonlyMap<string, ReadonlySet<Language>> {
  const found = new Map<string, Set<Language>>();
  for (const language of KNOWN_LANGUAGES) {
    for (const listed of [...LANGUAGES[language].words, ...(BESIDE[language] ?? [])]) {
      // Apostrophes part words: `you'll` is looked up as `you` and `ll`.
      for (const word of fold(spell(listed)).split(/[^\p{L}\p{M}\p{N}]+/u)) {
        if (word === "" || NAMING.has(word)) continue;
        const languages = found.get(word);
        if (languages === undefined) found.set(word, new Set([language]));
        else languages.add(language);
      }
    }
  }
  return found;
}

export function isStopWord(word: string, language: Language): boolean {
  return STOP_WORDS.get(word)?.has(language) ?? false;
}

/** True for a word that says nothing in one of the languages. */
export function isStopWordSomewhere(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** Different stop words that tell a language: one may be a word of another, or a name. */
const TELLING_WORDS = 2;

/** How much more than the next one the language of a text must have: Danish and Norwegian, Spanish and Portuguese share words. */
const MARGIN = 2;

/** The language that most of the folded words are stop words of; null where none tells it, or two tell it alike. */
export function languageOf(words: readonly string[]): Language | null {
  const votes = new Map<Language, { words: number; weight: number }>();
  for (const word of new Set(words)) {
    const languages = STOP_WORDS.get(word);
    for (const language of languages ?? []) {
      const vote = votes.get(language) ?? { words: 0, weight: 0 };
      votes.set(language, vote);
      vote.words += 1;
      // A word of many languages tells little.
      vote.weight += 1 / (languages?.size ?? 1);
    }
  }
  const [first, second] = [...votes].sort(([, a], [, b]) => b.weight - a.weight);
  if (first === undefined || first[1].words < TELLING_WORDS) return null;
  return second !== undefined && second[1].weight * MARGIN > first[1].weight ? null : first[0];
}

/** The part of a folded word that its inflections share. */
export function stem(word: string, language: Language): string {
  return LANGUAGES[language].stemmer(word);
}
