import { LIMITS } from "../domain/limits.js";
import { emitDates, spellDay } from "./dates.js";
import { fold } from "./fold.js";
import { emitWord } from "./grams.js";
import { emitIdentifiers } from "./identifiers.js";
import { asksForNothing } from "./stop-words.js";
import type { Terms } from "./terms.js";

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

export interface AnalysedTurn {
  readonly text: string;
  /** The speaker's name as people write it, or null where nobody is named. */
  readonly speaker: string | null;
  /** When it was said. Its date is searchable, in UTC. */
  readonly observedAt: Date;
}

/** Terms of a turn: its speaker's name, its date and its words. */
export function analyseTurn(turn: AnalysedTurn): Terms {
  const counter = new TermCounter(LIMITS.termsPerTurnMax);
  // First, so that a long text can't push them out.
  if (turn.speaker !== null) emitText(fold(turn.speaker), counter.add);
  emitText(spellDay(turn.observedAt), counter.add);
  emitText(fold(turn.text), counter.add);
  return counter.terms();
}

/** Terms of a question. Empty where it names nothing to look for: then there is nothing to match by. */
export function analyseQuery(text: string): Terms {
  const counter = new TermCounter(LIMITS.termsPerTurnMax);
  const folded = fold(text);
  if (!asksForNothing(folded.match(WORD) ?? [])) emitText(folded, counter.add);
  return counter.terms();
}

// INVARIANT: the one analyser. What a turn and a question spell alike must come out alike.
function emitText(folded: string, emit: (term: string) => void): void {
  emitDates(folded, emit);
  const rest = emitIdentifiers(folded, emit);
  for (const [word] of rest.matchAll(WORD)) emitWord(word, emit);
}

class TermCounter {
  readonly #termsMax: number;
  readonly #counts = new Map<string, number>();
  #length = 0;

  constructor(termsMax: number) {
    this.#termsMax = termsMax;
  }

  readonly add = (term: string): void => {
    if (term.length > LIMITS.wordCharsMax) return;
    const count = this.#counts.get(term);
    if (count === undefined && this.#counts.size >= this.#termsMax) return;
    this.#counts.set(term, (count ?? 0) + 1);
    this.#length += 1;
  };

  terms(): Terms {
    return {
      list: [...this.#counts.keys()],
      counts: [...this.#counts.values()],
      length: this.#length,
    };
  }
}
