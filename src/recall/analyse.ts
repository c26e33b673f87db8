import type { Terms } from "./terms.js";

export interface AnalysedTurn {
  readonly text: string;
  /** The speaker's name as people write it, or null where nobody is named. */
  readonly speaker: string | null;
  /** When it was said. Its date is searchable, in UTC. */
  readonly observedAt: Date;
}

/** Terms of a turn: its words, its speaker's name and its date. */
export function analyseTurn(_turn: AnalysedTurn): Terms {
  return { counts: new Map(), length: 0 };
}

/** Terms of a question. Empty where it holds stop words alone: then there is nothing to match by. */
export function analyseQuery(_text: string): Terms {
  return { counts: new Map(), length: 0 };
}
