import { type Interval, intervalOf } from "./times.js";
import type { Language } from "./word.js";

/** When a question asks about. */
export interface Timing {
  readonly interval: Interval | null;
  /** An event that it asks about the time before or after of, in words. */
  readonly event: { readonly side: "before" | "after"; readonly words: string } | null;
  /** True where it asks for how things are now. */
  readonly wantsNewest: boolean;
  /** True where it asks for how things were before. */
  readonly wantsPast: boolean;
}

const EVENT =
  /\b(before|after|since) (?:the|my|our|his|her|their|we|i|he|she|they) (.{3,80}?)[?.!]*$/i;

/** Words by which people ask for the present state, spelled as `fold` spells. */
const NOW: ReadonlySet<string> = new Set(
  `current currently latest newest nowadays now still today aktuell aktuelle aktuellen derzeit gerade heute jetzt momentan
  neueste actual actualmente ahora hoy ultimo ultima actuellement aujourdhui maintenant adesso attualmente oggi agora
  atualmente hoje nu nuvarande сейчас теперь сегодня الان حاليا अब अभी`.split(/\s+/),
);
/** The same where no spaces part words. */
const NOW_UNSPACED = /现在|目前|最新|今は|現在|最近|지금|현재|ตอนนี้|ปัจจุบัน/u;

/** Words by which people ask for what isn't so any more. */
const PAST: ReadonlySet<string> = new Set(
  `before earlier former formerly initially once original originally previous previously fruher damals vorher zuvor
  antes anteriormente avant auparavant autrefois prima precedentemente vroeger tidigare раньше прежде قبل سابقا पहले`.split(
    /\s+/,
  ),
);
const USED_TO = /\bused to\b/i;
const PAST_UNSPACED = /以前|之前|过去|昔|예전|이전|เมื่อก่อน/u;

export function timingOf(
  question: string,
  foldedWords: readonly string[],
  language: Language | null,
  now: Date,
): Timing {
  const [, side, words] = EVENT.exec(question) ?? [];
  const interval = intervalOf(question, language, now);
  const isEvent = words !== undefined && interval === null;
  return {
    interval,
    event: isEvent ? { side: side?.toLowerCase() === "before" ? "before" : "after", words } : null,
    wantsNewest: foldedWords.some((word) => NOW.has(word)) || NOW_UNSPACED.test(question),
    wantsPast:
      foldedWords.some((word) => PAST.has(word)) ||
      USED_TO.test(question) ||
      PAST_UNSPACED.test(question),
  };
}
