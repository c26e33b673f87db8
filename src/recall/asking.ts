import { isStopWord, KNOWN_LANGUAGES } from "./languages.js";
import type { Language } from "./word.js";

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** What people ask a memory with, beside stop words. Said in full turns too, so searchable; alone it asks for whatever there is. */
const ASKING: Partial<Record<Language, ReadonlySet<string>>> = {
  en: words(`anything discuss discussed everything ever hear heard know known mention mentioned now please recall
    remember remembered said say something speak spoke spoken summarise summarize talk talked talking tell told today yet`),
  es: words(
    `acerca acuerdas conmigo conoces conversamos dices dije dijiste dime hablado hablamos has recuerdas sabes`,
  ),
  de: words(`erinnerst erzahlt gerade gesagt gesprochen geredet hast ja kennst sag sagte weiss weisst wen wer wissen
    woruber`),
  fr: words(`ainsi connais dire dis dit parle parler quoi rappelles sais sait souviens`),
  pt: words(`conversamos diga disse es falamos la lembra lembras mim sabe sabes ser sobre`),
  it: words(`conosci cosa detto dici me parlato quando qui ricordi sai`),
  nl: words(`gezegd herinner vertel weet wist`),
  ru: words(`говорили говорил знаешь знаете обсуждали помнишь помните расскажи скажи`),
};

/** True for a question that names nothing to look for: then the newest turns are the answer. */
export function asksForNothing(foldedWords: readonly string[]): boolean {
  // One word may be a name in another language: die, war and con are English words that must stay searchable.
  const languages = foldedWords.length > 1 ? KNOWN_LANGUAGES : (["en"] as const);
  return languages.some((language) =>
    foldedWords.every((word) => isStopWord(word, language) || ASKING[language]?.has(word)),
  );
}
