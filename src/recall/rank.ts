import { analyseQuestion } from "./analyse.js";
import { type Candidate, candidateOf, standsIn, weighConversation } from "./conversation.js";
import { firstOf } from "./first-of.js";
import { firstOnce, type Once } from "./first-once.js";
import { fuse, meansAlike } from "./fuse.js";
import type { RecallFilter } from "./indexed-turn.js";
import { bestOf, CANDIDATES_MAX, type Scores, scoreWords } from "./score.js";
import type { Searched } from "./searched.js";
import { languagesOf } from "./spoken.js";
import type { Interval } from "./times.js";
import type { Timing } from "./timing.js";
import type { Vector } from "./vector.js";
import type { TextLanguage } from "./word.js";

/** What is usual: the person whom a question names mostly said it, but not always. */
export const SPEAKER_WEIGHT = 1.6;

/** How hits are chosen: by what is likeliest meant, or plainly by the words that stand there. */
export const RECALL_MODES = ["ranked", "phrase"] as const;
export type RecallMode = (typeof RECALL_MODES)[number];

export interface Asked {
  readonly question: string;
  /** "ranked" where absent. */
  readonly mode?: RecallMode;
  /** What a turn of a speaker whom the question names counts, times its score: 1 is as much as others. */
  readonly speakerWeight: number;
  /** What the question means, where an embedder could read it. */
  readonly meaning?: Vector | null;
}

/** A turn of the time that the question names. Not more: people are often wrong about it. */
const IN_TIME = 1.3;
/** The newest of the candidates, where the question asks for the present; the oldest has 1, the others between. */
const NEWEST = 1.3;

/**
 * The least share of what a question asks for that one turn must have for the answer to be there at all. Calibrated on
 * questions that were put to somebody else's conversation: a lower one lets their chance words through, a higher one loses
 * answers in other words. Of few turns each word is common or unheard of, and nothing can be told.
 */
const EVIDENCE_SHARE = 0.12;
const EVIDENCE_TURNS_MIN = 20;

export interface Ranked {
  readonly candidates: readonly Once<Candidate>[];
  /** The share of what the question asks for that the best match has: tells how good a whole list is beside another one. */
  readonly fit: number;
}

/** The one place that decides what comes first: at most as many as asked for, best first. Equal scores: newer first. */
export function rank(searched: Searched, asked: Asked, filter: RecallFilter): Ranked {
  const { now } = filter;
  const languages = languagesOf(searched);
  const { words, speakers, timing } = analyseQuestion(asked.question, languages, now);
  // What turns mean is added to the words of each.
  const wanted = searched.likeness === null ? CANDIDATES_MAX : Number.POSITIVE_INFINITY;
  const byWords = scoreWords(searched, words, wanted);
  if (!isEvidence(searched, byWords) && !meansAlike(searched.likeness))
    return { candidates: [], fit: 0 };
  const scores = fuse(byWords, searched.likeness);
  const isNamed = standsIn(searched, speakers);
  const candidates = weighConversation(searched, scores, isNamed, asked.speakerWeight);
  const interval = timing.interval ?? intervalAround(searched, timing, languages, now);
  const timed = weighTime(searched, candidates, interval, timing.wantsNewest);
  return {
    candidates: firstOnce(timed, filter, {
      compare: (a, b) => b.score - a.score || newerFirst(searched, a, b),
      saidOf: ({ slot }) => searched.turns.said(slot),
    }),
    fit: Math.min(1, bestOf(scores.scores) / (byWords.possible || 1)),
  };
}

/** What there is to show where a question names nothing to look for. */
export function newest(
  { eligible, turns }: Searched,
  filter: RecallFilter,
): readonly Once<number>[] {
  const slots: number[] = [];
  for (const [slot, flag] of eligible.flags.entries()) {
    if (flag === 1) slots.push(slot);
  }
  return firstOnce(slots, filter, {
    compare: turns.newestFirst,
    saidOf: (slot) => turns.said(slot),
  });
}

function newerFirst({ turns }: Searched, a: Candidate, b: Candidate): number {
  return turns.newestFirst(a.slot, b.slot);
}

function isEvidence({ eligible }: Searched, { scores, matched, possible }: Scores): boolean {
  if (eligible.count < EVIDENCE_TURNS_MIN) return true;
  return matched.some((slot) => (scores[slot] ?? 0) >= EVIDENCE_SHARE * possible);
}

/** Before or after an event: the turn that tells most of it stands for its time. */
function intervalAround(
  searched: Searched,
  { event }: Timing,
  languages: readonly TextLanguage[],
  now: Date,
): Interval | null {
  if (event === null) return null;
  const { words } = analyseQuestion(event.words, languages, now);
  const { scores, matched } = scoreWords(searched, words);
  const [told] = firstOf(
    matched,
    1,
    (a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || searched.turns.newestFirst(a, b),
  );
  if (told === undefined) return null;
  const at = new Date(searched.turns.observedMs(told));
  return event.side === "before" ? { from: new Date(0), until: at } : { from: at, until: now };
}

function weighTime(
  searched: Searched,
  candidates: readonly Candidate[],
  interval: Interval | null,
  wantsNewest: boolean,
): readonly Candidate[] {
  if (interval === null && !wantsNewest) return candidates;
  const oldestFirst = candidates.toSorted((a, b) => newerFirst(searched, b, a));
  return oldestFirst.map(({ slot, parts }, at) => {
    const observed = searched.turns.observedMs(slot);
    const isInTime =
      interval !== null &&
      observed >= interval.from.getTime() &&
      observed < interval.until.getTime();
    const age = at / Math.max(1, oldestFirst.length - 1);
    return candidateOf(slot, {
      ...parts,
      time: isInTime ? IN_TIME : 1,
      recency: wantsNewest ? 1 + (NEWEST - 1) * age : 1,
    });
  });
}
