import type { KnownObservation, Observed, ObserveSource } from "./observation.js";
import { foldQuote } from "./quote.js";

/** What stands instead of an observation by now; itself where nothing corrects it. */
export function newestOf(
  one: KnownObservation,
  known: readonly KnownObservation[],
): KnownObservation {
  const seen = new Set<KnownObservation>();
  let newest = one;
  while (newest.supersededBy !== null && !seen.has(newest)) {
    seen.add(newest);
    const id: string = newest.supersededBy;
    newest = known.find((other) => other.id === id) ?? newest;
  }
  return newest;
}

/**
 * The observation where it is news; null where it was observed before, in the same words or at the same place of a turn. What
 * was corrected since and is said again is news: it corrects the correction.
 */
export function asNews(
  one: Observed,
  { known, turns }: Pick<ObserveSource, "known" | "turns">,
): Observed | null {
  const said = known.filter(({ dimension }) => dimension === one.dimension);
  if (said.some((old) => overlaps(one, old))) return null;
  const same = said.find(({ text }) => foldQuote(text) === foldQuote(one.text));
  if (same === undefined) return one;
  const newest = newestOf(same, known);
  const at = turns.find(({ id }) => id === one.saidIn)?.observedAt;
  if (newest === same || at === undefined || at <= newest.observedAt) return null;
  return { ...one, supersedes: newest.id };
}

type Quoted = Pick<Observed, "quotes">;

/** True where both rest on the same words of a turn. */
function overlaps({ quotes }: Quoted, other: Quoted): boolean {
  return quotes.some((one) =>
    other.quotes.some(
      ({ turn_id, start, end }) => one.turn_id === turn_id && one.start < end && start < one.end,
    ),
  );
}

/** The first of an answer counts: one sentence in two wordings is one observation. */
export function repeats(one: Observed, other: Observed): boolean {
  if (one.dimension !== other.dimension) return false;
  return foldQuote(one.text) === foldQuote(other.text) || overlaps(one, other);
}
