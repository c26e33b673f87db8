import type { Cues } from "./cues.js";
import type { DimensionId } from "./ids.js";
import { clausesOf, negates } from "./negation.js";
import type { KnownObservation, ObservedSpeaker } from "./observation.js";
import { contentWords, isSameWord } from "./said.js";

/** What is said to correct something that was observed before. */
export interface Correction {
  readonly dimension: DimensionId;
  readonly text: string;
  /** The words that it was quoted with. */
  readonly said: string;
  readonly speaker: ObservedSpeaker;
}

/**
 * Whether a statement may stand instead of an earlier one: along the same dimension, about something that both name, and not
 * where somebody else takes back what the person said. What may hurt the person if it is forgotten is taken back by the person
 * alone, and all of it: else both stand, each with its time.
 */
export function mayCorrect(one: Correction, old: KnownObservation, cues: Cues): boolean {
  if (one.dimension !== old.dimension || !maySpeakAgainst(one.speaker, old)) return false;
  const words = contentWords(old.text);
  const isAboutSame = words.some((word) => isAmong(word, contentWords(`${one.text} ${one.said}`)));
  return (
    isAboutSame && (!old.isSafety || (one.speaker === "subject" && deniesAll(one.said, old, cues)))
  );
}

/** What the person said of themselves is corrected by nobody else. */
export function maySpeakAgainst(
  speaker: ObservedSpeaker,
  { tier }: Pick<KnownObservation, "tier">,
): boolean {
  return speaker === "subject" || tier !== "reported";
}

/** True where words name all that a statement is about, and deny it wherever they do; or assert what it denies. */
function deniesAll(said: string, { text }: Pick<KnownObservation, "text">, cues: Cues): boolean {
  const words = contentWords(text);
  const named = words.filter((word) => !cues.isAboutSafety(word));
  const wanted = named.length > 0 ? named : words;
  const isDenial = negates(text);
  const clauses = clausesOf(said).map((clause) => ({ clause, words: contentWords(clause) }));
  return wanted.every((word) => {
    const naming = clauses.filter((one) => isAmong(word, one.words));
    return naming.length > 0 && naming.every(({ clause }) => negates(clause) !== isDenial);
  });
}

function isAmong(word: string, words: readonly string[]): boolean {
  return words.some((other) => isSameWord(word, other));
}
