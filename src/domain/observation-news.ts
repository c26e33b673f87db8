import type { KnownObservation, Observed, ObserveSource } from "./observation.js";
import { maySpeakAgainst } from "./observation-corrections.js";
import { wordsOf } from "./said.js";
import { foldSpelling } from "./spelling.js";

/** What stands instead of an observation by now; itself where nothing corrects it. */
export function newestOf(
  one: KnownObservation,
  known: readonly KnownObservation[],
): KnownObservation {
  const byId = new Map(known.map((other) => [other.id, other]));
  const seen = new Set<KnownObservation>();
  let newest = one;
  while (newest.supersededBy !== null && !seen.has(newest)) {
    seen.add(newest);
    newest = byId.get(newest.supersededBy) ?? newest;
  }
  return newest;
}

/** Words of a quote that tell that the same was said again: "yes" is said of many things. */
const TELLING_WORDS = 3;

/**
 * Tells of an observation what is news in it: all, or nothing where it was observed before, in the same words, of the same words
 * of the person, or at the same place of a turn. What was corrected since and is said again is news: it corrects the correction.
 */
export function newsBeside({
  known,
  turns,
}: Pick<ObserveSource, "known" | "turns">): (one: Observed) => Observed | null {
  return (one) => {
    const before = known.filter(({ dimension }) => dimension === one.dimension);
    if (before.some((old) => overlaps(one, old))) return null;
    const { text, said } = foldedOf(one);
    const isTelling = wordsOf(one.said).length >= TELLING_WORDS;
    const same = before.find((old) => {
      const folded = foldedOf(old);
      return folded.text === text || (isTelling && folded.said === said);
    });
    if (same === undefined) return one;
    const newest = newestOf(same, known);
    const at = turns.find(({ id }) => id === one.saidIn);
    if (newest === same || at === undefined || at.observedAt <= newest.observedAt) return null;
    return { ...one, supersedes: maySpeakAgainst(at.speaker, newest) ? newest.id : null };
  };
}

/** Each is folded once, however often it is compared: there may be thousands. */
const folds = new WeakMap<Worded, Worded>();

type Worded = Pick<KnownObservation, "text" | "said">;

function foldedOf(one: Worded): Worded {
  const folded = folds.get(one) ?? { text: foldWords(one.text), said: foldWords(one.said ?? "") };
  folds.set(one, folded);
  return folded;
}

/** Words with the numbers among them, and whether they ask: case, other marks and white space are no news. */
const TELLING = /(?<![\p{L}\p{N}])[-\u2212](?=\p{N})|[\p{L}\p{M}\p{N}]+(?:[.,]\p{N}+)*|[?？؟]/gu;

function foldWords(text: string): string {
  return foldSpelling(text).match(TELLING)?.join(" ") ?? "";
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
  return foldWords(one.text) === foldWords(other.text) || overlaps(one, other);
}
