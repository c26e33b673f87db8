import { KNOWN_LANGUAGES } from "./languages.js";
import { oncePerEligible, type Searched } from "./searched.js";
import { languageTerm } from "./terms.js";
import type { TextLanguage } from "./word.js";

/** Languages of the eligible turns: a question is read in all of them. */
export const languagesOf = oncePerEligible(({ eligible, postings }): readonly TextLanguage[] =>
  [null, ...KNOWN_LANGUAGES].filter((language) =>
    postings.standsInAny(languageTerm(language), eligible.flags),
  ),
);

/** By slot, the language of an eligible turn as a place in `languagesOf`. */
const placesOf = oncePerEligible((searched): Uint8Array => {
  const places = new Uint8Array(searched.eligible.flags.length);
  for (const [place, language] of languagesOf(searched).entries())
    for (const slot of searched.postings.find(languageTerm(language)).slots) places[slot] = place;
  return places;
});

/** The language of an eligible turn's text, as it was analysed. */
export function languageIn(searched: Searched, slot: number): TextLanguage {
  return languagesOf(searched)[placesOf(searched)[slot] ?? 0] ?? null;
}
