/** What one question got: the turns that hold the answer, and those that came back, best first. */
export interface Answered {
  /** The conversation that it is about. */
  readonly sample: string;
  readonly category: number;
  readonly evidence: readonly string[];
  readonly found: readonly string[];
}

/** Shares between 0 and 1, rounded to four places. */
export interface Figures {
  readonly questions: number;
  /** Mean share of a question's evidence turns among the first 5, 10, 25. */
  readonly r5: number;
  readonly r10: number;
  readonly r25: number;
  /** Mean of one over the place of the first evidence turn; 0 where none came back. */
  readonly mrr: number;
}

/** How many turns are looked at for the figures. */
export const DEPTH = 25;

export function measure(answers: readonly Answered[]): Figures {
  return {
    questions: answers.length,
    r5: mean(answers.map((answer) => shareFound(answer, 5))),
    r10: mean(answers.map((answer) => shareFound(answer, 10))),
    r25: mean(answers.map((answer) => shareFound(answer, DEPTH))),
    mrr: mean(answers.map(reciprocalRank)),
  };
}

/** Figures of each group, by its name. */
export function measureBy<Answer extends Answered>(
  answers: readonly Answer[],
  nameOf: (answer: Answer) => string,
): Readonly<Record<string, Figures>> {
  const names = [...new Set(answers.map(nameOf))].sort();
  return Object.fromEntries(
    names.map((name) => [name, measure(answers.filter((answer) => nameOf(answer) === name))]),
  );
}

function shareFound({ evidence, found }: Answered, depth: number): number {
  const first = new Set(found.slice(0, depth));
  const wanted = new Set(evidence);
  return [...wanted].filter((id) => first.has(id)).length / Math.max(1, wanted.size);
}

function reciprocalRank({ evidence, found }: Answered): number {
  const at = found.slice(0, DEPTH).findIndex((id) => evidence.includes(id));
  return at < 0 ? 0 : 1 / (at + 1);
}

function mean(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  return Math.round((sum / Math.max(1, values.length)) * 10_000) / 10_000;
}
