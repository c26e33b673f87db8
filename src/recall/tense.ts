import { analyseQuestion } from "./analyse.js";

/** Which statements about a person a question is after: those that stand now, those that stood once, or whichever fits. */
export type Tense = "present" | "past" | "any";

export function tenseOf(question: string, now: Date): Tense {
  const { timing } = analyseQuestion(question, [null], now);
  const isPast =
    timing.wantsPast ||
    timing.event?.side === "before" ||
    (timing.interval !== null && timing.interval.until <= now);
  if (timing.wantsNewest) return isPast ? "any" : "present";
  return isPast ? "past" : "any";
}
