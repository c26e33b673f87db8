import { fieldPath, invalid } from "./fields.js";
import { parseText } from "./input.js";
import { LIMITS } from "./limits.js";
import type { ObservedTurn, ObserveSource, Quote } from "./observation.js";
import { quotesIn, type TextPlace } from "./quote.js";

/** Turns of the source that an entry cites, each once. */
export function parseCited(
  value: unknown,
  { turns }: ObserveSource,
  field: string,
): readonly ObservedTurn[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid(field, "is empty");
  if (value.length > LIMITS.observationTurnsMax)
    throw invalid(field, `cites more than ${LIMITS.observationTurnsMax} turns`);
  const cited = value.map((ref: unknown, index) => {
    const turn = turns.find(({ id }) => id === ref);
    if (turn === undefined) throw invalid(fieldPath(field, index), "is no turn of this session");
    return turn;
  });
  return [...new Set(cited)];
}

/** A quote where it stands. */
export interface FoundQuote {
  readonly turn: ObservedTurn;
  readonly quote: Quote;
  readonly said: string;
}

/** Each turn is folded once, however many quotes are looked up in it and however often an answer is checked. */
const finders = new WeakMap<ObservedTurn, (quote: string) => TextPlace | null>();

function quotesOf(turn: ObservedTurn): (quote: string) => TextPlace | null {
  const known = finders.get(turn);
  if (known !== undefined) return known;
  const made = quotesIn(turn.text);
  finders.set(turn, made);
  return made;
}

/** Quotes of an entry, each looked up in the turns that it cites. */
export function parseQuotes(
  value: unknown,
  cited: readonly ObservedTurn[],
  field: string,
): readonly FoundQuote[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid(field, "is empty");
  if (value.length > LIMITS.observationQuotesMax)
    throw invalid(field, `has more than ${LIMITS.observationQuotesMax} quotes`);
  return value.map((given: unknown, index) => {
    const path = fieldPath(field, index);
    const quote = parseText(given, path, LIMITS.observationCharsMax);
    for (const turn of cited) {
      const place = quotesOf(turn)(quote);
      if (place === null) continue;
      const said = turn.text.slice(place.start, place.end);
      return { turn, quote: { turn_id: turn.id, ...place }, said };
    }
    throw invalid(path, "isn't what a cited turn says");
  });
}
