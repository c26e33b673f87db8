import { firstOf } from "./first-of.js";
import type { Scores, Searched } from "./score.js";
import { QUESTION_TERM } from "./terms.js";

// An answer seldom repeats the words of its question: what stands around a turn tells what it is about.

/** Shares of other turns' scores that a turn gets: of the one before it, of the one after it, of its session's best. */
const PREVIOUS = 0.3;
const NEXT = 0.15;
const SESSION = 0.3;
/** A turn that asks seldom is the answer. */
const ASKING = 0.9;

/** Best matches that are looked at again, with the turns beside them. */
const CANDIDATES_MAX = 200;

export interface Candidate {
  readonly slot: number;
  readonly score: number;
  /** What the score is made of: the sum of the shares, times the factors. */
  readonly parts: ScoreParts;
}

export interface ScoreParts {
  readonly words: number;
  readonly previous: number;
  readonly next: number;
  readonly session: number;
  readonly speaker: number;
  readonly asking: number;
}

/** Weighs the best matches, and the turns beside them, by the conversation that they stand in. */
export function weighConversation(
  searched: Searched,
  { scores, matched }: Scores,
  speakers: ReadonlySet<number>,
  speakerWeight: number,
): readonly Candidate[] {
  const asking = slotsOf(searched, [QUESTION_TERM]);
  const best = bestBySession(searched, scores, matched);
  return seats(searched, scores, matched).map(({ slot, previous, next }) => {
    const parts = {
      words: scores[slot] ?? 0,
      previous: PREVIOUS * (scores[previous] ?? 0),
      next: NEXT * (scores[next] ?? 0),
      session: SESSION * (best.get(searched.turns.session(slot)) ?? 0),
      speaker: speakers.has(slot) ? speakerWeight : 1,
      asking: asking.has(slot) ? ASKING : 1,
    };
    const shares = parts.words + parts.previous + parts.next + parts.session;
    return { slot, parts, score: shares * parts.speaker * parts.asking };
  });
}

/** Eligible turns that have one of the terms. */
export function slotsOf(
  { eligible, postings }: Searched,
  terms: readonly string[],
): ReadonlySet<number> {
  const found = new Set<number>();
  for (const term of terms) {
    for (const slot of postings.find(term).slots) {
      if (eligible.flags[slot] === 1) found.add(slot);
    }
  }
  return found;
}

function bestBySession(
  { turns }: Searched,
  scores: Float64Array,
  matched: readonly number[],
): ReadonlyMap<number, number> {
  const best = new Map<number, number>();
  for (const slot of matched) {
    const session = turns.session(slot);
    best.set(session, Math.max(best.get(session) ?? 0, scores[slot] ?? 0));
  }
  return best;
}

/** A turn and those beside it: slots of eligible turns, -1 where there is none. */
interface Seat {
  readonly slot: number;
  readonly previous: number;
  readonly next: number;
}

/** The best matches and the eligible turns beside them, each once. */
function seats(
  searched: Searched,
  scores: Float64Array,
  matched: readonly number[],
): readonly Seat[] {
  const { turns } = searched;
  const byScore = (a: number, b: number): number =>
    (scores[b] ?? 0) - (scores[a] ?? 0) || turns.newestFirst(a, b);
  const best = new Set(firstOf(matched, CANDIDATES_MAX, byScore));
  const sessions = new Set(Array.from(best, (slot) => turns.session(slot)));
  return saidIn(searched, sessions).flatMap((said) =>
    said.flatMap((slot, at) => {
      const previous = said[at - 1] ?? -1;
      const next = said[at + 1] ?? -1;
      const isNear = best.has(slot) || best.has(previous) || best.has(next);
      return isNear ? [{ slot, previous, next }] : [];
    }),
  );
}

/** Eligible turns of each of the sessions, in the order in which they were said. */
function saidIn(
  { eligible: { flags }, turns }: Searched,
  sessions: ReadonlySet<number>,
): readonly (readonly number[])[] {
  const said = new Map(Array.from(sessions, (session) => [session, [] as number[]]));
  for (let slot = 0; slot < flags.length; slot += 1) {
    if (flags[slot] === 1) said.get(turns.session(slot))?.push(slot);
  }
  return [...said.values()].map((slots) =>
    slots.sort((a, b) => turns.seq(a) - turns.seq(b) || turns.newestFirst(b, a)),
  );
}
