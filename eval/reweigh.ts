import { type Answered, measure } from "./measure.js";

/** A turn that came back, with the parts that its score is made of. */
export interface FoundTurn {
  readonly id: string;
  readonly why: Readonly<Record<string, number>>;
}

export interface Explained extends Omit<Answered, "found"> {
  readonly hits: readonly FoundTurn[];
}

/** How much each part of a score counts beside what it counts as shipped: 1 is as much, 0 nothing. */
export interface Weights {
  /** Shares of the turns before and after. */
  readonly beside: number;
  /** Share of the session's best. */
  readonly session: number;
  /** Factors, as exponents: the named speaker's, and that of a turn that asks. */
  readonly speaker: number;
  readonly asking: number;
}

export const SHIPPED: Weights = { beside: 1, session: 1, speaker: 1, asking: 1 };

/** Each part of the ranking left out by itself, and all that looks at the conversation. */
export const ABLATIONS: Readonly<Record<string, Weights>> = {
  "no neighbours": { ...SHIPPED, beside: 0 },
  "no session": { ...SHIPPED, session: 0 },
  "no speaker": { ...SHIPPED, speaker: 0 },
  "no asking": { ...SHIPPED, asking: 0 },
  "words alone": { beside: 0, session: 0, speaker: 0, asking: 0 },
};

/** What came back, in the order in which it did. */
export function asRanked(answers: readonly Explained[]): readonly Answered[] {
  return answers.map(({ hits, ...answer }) => ({ ...answer, found: hits.map(({ id }) => id) }));
}

/**
 * Orders what came back as it would be under other weights. What those would have brought in from further down isn't seen:
 * more hits are asked for than are measured.
 */
export function reweigh(answers: readonly Explained[], weights: Weights): readonly Answered[] {
  return answers.map(({ hits, ...answer }) => {
    const scored = hits.map(({ id, why }) => ({ id, score: scoreOf(why, weights) }));
    return { ...answer, found: scored.sort((a, b) => b.score - a.score).map(({ id }) => id) };
  });
}

function scoreOf(why: FoundTurn["why"], { beside, session, speaker, asking }: Weights): number {
  const share = (name: string): number => why[name] ?? 0;
  const factor = (name: string): number => why[name] ?? 1;
  const shares =
    share("words") +
    share("meaning") +
    beside * (share("previous") + share("next")) +
    session * share("session");
  return shares * factor("speaker") ** speaker * factor("asking") ** asking;
}

const STEPS = [0.5, 1, 1.5, 2] as const;
const GRID: readonly Weights[] = STEPS.flatMap((beside) =>
  STEPS.flatMap((session) =>
    STEPS.flatMap((speaker) => STEPS.map((asking) => ({ beside, session, speaker, asking }))),
  ),
);

/**
 * Orders what came back by weights that were chosen without the conversation that is asked about: for each one, those that
 * do best on the others. Its figures are what tuning to these conversations would bring on new ones, and no more.
 */
export function holdOut(answers: readonly Explained[]): readonly Answered[] {
  const samples = [...new Set(answers.map(({ sample }) => sample))];
  return samples.flatMap((sample) => {
    const others = answers.filter((answer) => answer.sample !== sample);
    const own = answers.filter((answer) => answer.sample === sample);
    return reweigh(own, bestOf(others));
  });
}

function bestOf(answers: readonly Explained[]): Weights {
  let best = SHIPPED;
  let most = Number.NEGATIVE_INFINITY;
  for (const weights of GRID) {
    const { r10, mrr } = measure(reweigh(answers, weights));
    if (r10 + mrr <= most) continue;
    most = r10 + mrr;
    best = weights;
  }
  return best;
}
