import type { Cues } from "./cues.js";
import type { DimensionId } from "./ids.js";
import { negates } from "./negation.js";
import type { KnownObservation, ObservedSpeaker } from "./observation.js";
import { amongWords, contentWords } from "./said.js";
import { clausesOf } from "./sentences.js";

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
 * alone, and all of it, along whatever dimension ("no longer" tells of a change): else both stand, each with its time.
 */
export function mayCorrect(one: Correction, old: KnownObservation, cues: Cues): boolean {
  const isAlong = one.dimension === old.dimension || old.isSafety;
  if (!isAlong || !maySpeakAgainst(one.speaker, old)) return false;
  const isNamed = amongWords(contentWords(`${one.text} ${one.said}`));
  const isAboutSame = contentWords(old.text).some(isNamed);
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

/** Words with which a denial says since when. */
const SINCE = /^(?:more|mehr|länger|jetzt|actually|now|ya|ahora)$/;

/**
 * True where words name all that a danger is about, and deny the danger itself wherever they do, without a condition; or assert
 * it, where it is a denial. "No penicillin for me" takes back no allergy.
 */
function deniesAll(said: string, { text }: Pick<KnownObservation, "text">, cues: Cues): boolean {
  const words = contentWords(text);
  const named = words.filter((word) => !cues.isAboutSafety(word));
  const wanted = named.length > 0 ? named : words;
  const isDenial = negates(text);
  const isNamed = amongWords(words);
  const clauses = clausesOf(said).map((clause) => {
    const told = contentWords(clause);
    return { clause, told, names: amongWords(told) };
  });
  const takesBack = ({ clause, told }: { clause: string; told: readonly string[] }) =>
    negates(clause) !== isDenial &&
    (cues.isAboutSafety(clause) || !cues.isAboutSafety(text)) &&
    told.every((word) => isNamed(word) || SINCE.test(word) || negates(word));
  return wanted.every((word) => {
    const naming = clauses.filter(({ names }) => names(word));
    return naming.length > 0 && naming.every(takesBack);
  });
}
