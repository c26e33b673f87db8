import type { Cues } from "./cues.js";
import type { DimensionId } from "./ids.js";
import { negates, withoutHarmless } from "./negation.js";
import type { KnownObservation, ObservedSpeaker } from "./observation.js";
import { isAboutSame } from "./replacement.js";
import { amongWords, contentWords, wordsOf } from "./said.js";
import { sentencesOf } from "./sentences.js";

/** What is said to correct something that was observed before. */
export interface Correction {
  readonly dimension: DimensionId;
  readonly text: string;
  /** The words that it was quoted with. */
  readonly said: string;
  /** The whole sentences that those stand in, where the person says them outright: not asked, supposed, cited or taken back. */
  readonly outright: string;
  readonly speaker: ObservedSpeaker;
}

/**
 * Whether a statement may stand instead of an earlier one: along the same dimension, of the same one, about something that both name, and not
 * where somebody else takes back what the person said. What may hurt the person if it is forgotten is taken back by the person
 * alone, and all of it, along whatever dimension ("no longer" tells of a change): else both stand, each with its time.
 */
export function mayCorrect(one: Correction, old: KnownObservation, cues: Cues): boolean {
  const isAlong = one.dimension === old.dimension || old.isSafety;
  if (!isAlong || !maySpeakAgainst(one.speaker, old)) return false;
  const isNamed = amongWords(contentWords(`${one.text} ${one.said}`));
  if (!contentWords(old.text).some(isNamed)) return false;
  return old.isSafety
    ? one.speaker === "subject" && deniesAll(one.outright, old, cues)
    : isAboutSame(one.said, old.text);
}

/** What the person said of themselves is corrected by nobody else. */
export function maySpeakAgainst(
  speaker: ObservedSpeaker,
  { tier }: Pick<KnownObservation, "tier">,
): boolean {
  return speaker === "subject" || tier !== "reported";
}

/** Words that a denial may have beside those of what it denies: who denies it, and since when. */
const PLAIN =
  /^(?:i|i'm|i've|am|have|been|do|an?|any|my|the|to|of|or|and|at|all|longer|anymore|more|actually|now|ich|bin|habe?|gegen|auf|mehr|länger|jetzt|inzwischen|estoy|soy|tengo|al?|la|el|ya|ahora)$/;

/**
 * True where sentences name all that a danger is about, deny the danger itself once each, and say nothing else; or assert it, where
 * it is a denial. "No penicillin for me" takes back no allergy, and neither does what a doctor hopes: any other word may be whose
 * words they are, or when they hold.
 */
function deniesAll(said: string, { text }: Pick<KnownObservation, "text">, cues: Cues): boolean {
  const words = contentWords(text);
  const named = words.filter((word) => !cues.isAboutSafety(word));
  const wanted = named.length > 0 ? named : words;
  const isNamed = amongWords(wordsOf(text));
  const denials = negates(text) ? 0 : 1;
  const takesBack = (sentence: string) => {
    const told = wordsOf(withoutHarmless(sentence));
    return (
      told.filter(negates).length === denials &&
      (cues.isAboutSafety(sentence) || !cues.isAboutSafety(text)) &&
      told.every((word) => isNamed(word) || PLAIN.test(word) || negates(word))
    );
  };
  return sentencesOf(said).every(takesBack) && wanted.every(amongWords(contentWords(said)));
}
