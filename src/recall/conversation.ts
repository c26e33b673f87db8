import { firstOf } from "./first-of.js";
import { CANDIDATES_MAX, type Scores } from "./score.js";
import { oncePerEligible, type Searched } from "./searched.js";
import { DERIVED_TERM, QUESTION_TERM } from "./terms.js";

// An answer seldom repeats the words of its question: what stands around a turn tells what it is about.

/** Shares of other turns' scores that a turn gets: of the one before it, of the one after it, of its session's best. */
const PREVIOUS = 0.3;
const NEXT = 0.15;
const SESSION = 0.3;
/** A turn that asks seldom is the answer. */
const ASKING = 0.9;
/** What an assistant says again counts less than the statement that it is made of. */
const DERIVED = 0.9;

export interface Candidate {
  readonly slot: number;
  readonly score: number;
  /** What the score is made of: the sum of the first four, times each of the others. */
  readonly parts: ScoreParts;
}

export interface ScoreParts {
  readonly words: number;
  /** Absent where words alone decide. */
  readonly meaning: number | undefined;
  readonly previous: number;
  readonly next: number;
  readonly session: number;
  readonly speaker: number;
  readonly asking: number;
  /** How near to its source it is. */
  readonly authority: number;
  /** Whether it is of the time that the question names. */
  readonly time: number;
  /** How new it is, where the question asks for the present. */
  readonly recency: number;
}

/** As a hit shows them. */
export function shownParts({ meaning, ...parts }: ScoreParts): Readonly<Record<string, number>> {
  return meaning === undefined ? parts : { ...parts, meaning };
}

/** Weighs the best matches, and the turns beside them, by the conversation that they stand in. */
export function weighConversation(
  searched: Searched,
  { scores, matched, meaning }: Scores,
  isNamed: (slot: number) => boolean,
  speakerWeight: number,
): readonly Candidate[] {
  const [asking, derived] = [askingIn(searched), derivedIn(searched)];
  const best = bestBySession(searched, scores, matched);
  return seats(searched, scores, matched).map(({ slot, previous, next }) => {
    const meant = meaning?.[slot] ?? 0;
    return candidateOf(slot, {
      words: (scores[slot] ?? 0) - meant,
      meaning: meaning && meant,
      previous: PREVIOUS * (scores[previous] ?? 0),
      next: NEXT * (scores[next] ?? 0),
      session: SESSION * (best[searched.turns.session(slot)] ?? 0),
      speaker: isNamed(slot) ? speakerWeight : 1,
      asking: asking[slot] === 1 ? ASKING : 1,
      authority: derived[slot] === 1 ? DERIVED : 1,
      time: 1,
      recency: 1,
    });
  });
}

export function candidateOf(slot: number, parts: ScoreParts): Candidate {
  const { words, meaning = 0, previous, next, session } = parts;
  const { speaker, asking, authority, time, recency } = parts;
  const shares = words + meaning + previous + next + session;
  const score = shares * speaker * asking * authority * time * recency;
  return { slot, parts, score };
}

/** Tells of a slot whether its turn has one of the terms. */
export function standsIn(
  { postings }: Searched,
  terms: readonly string[],
): (slot: number) => boolean {
  const found = terms.map((term) => postings.find(term).slots).filter(({ length }) => length > 0);
  return (slot) => found.some((slots) => isAmong(slots, slot));
}

/** By slot, 1 where the turn has the term. */
function marksOf({ eligible, postings }: Searched, term: string): Uint8Array {
  const marks = new Uint8Array(eligible.flags.length);
  for (const slot of postings.find(term).slots) marks[slot] = 1;
  return marks;
}

const askingIn = oncePerEligible((searched) => marksOf(searched, QUESTION_TERM));
const derivedIn = oncePerEligible((searched) => marksOf(searched, DERIVED_TERM));

/** Looks into ascending slots. */
function isAmong(slots: Uint32Array, slot: number): boolean {
  let low = 0;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((slots[middle] ?? 0) < slot) low = middle + 1;
    else high = middle;
  }
  return slots[low] === slot;
}

function bestBySession(
  { turns }: Searched,
  scores: Float64Array,
  matched: readonly number[],
): Float64Array {
  const best = new Float64Array(turns.sessions);
  for (const slot of matched) {
    const session = turns.session(slot);
    const score = scores[slot] ?? 0;
    if (score > (best[session] ?? 0)) best[session] = score;
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
  const {
    turns,
    eligible: { flags },
  } = searched;
  const byScore = (a: number, b: number): number =>
    (scores[b] ?? 0) - (scores[a] ?? 0) || turns.newestFirst(a, b);
  const taken = new Uint8Array(flags.length);
  const found: Seat[] = [];
  const take = (slot: number): void => {
    if (slot < 0 || taken[slot] === 1) return;
    taken[slot] = 1;
    const [previous, next] = [turns.beside(slot, -1, flags), turns.beside(slot, 1, flags)];
    found.push({ slot, previous, next });
  };
  for (const slot of firstOf(matched, CANDIDATES_MAX, byScore)) {
    take(slot);
    take(turns.beside(slot, -1, flags));
    take(turns.beside(slot, 1, flags));
  }
  return found;
}
