import type { Terms } from "./terms.js";
import { isPiece } from "./terms.js";

/** Bits of a posting that hold the term's count; the slot stands above them. */
const COUNT_BITS = 8;
const COUNT_MAX = (1 << COUNT_BITS) - 1;

/** Bytes of a term and of a posting in memory beside the term's text: measured, rounded up. */
const TERM_BYTES = 250;
const POSTING_BYTES = 12;

/**
 * A term's stand in one turn, as one small integer: the turn's slot (up to 2^23) and the term's count
 * (up to 255: ranking can't tell more apart).
 */
function pack(slot: number, count: number): number {
  return (slot << COUNT_BITS) | Math.min(count, COUNT_MAX);
}

export function slotOf(posting: number): number {
  return posting >> COUNT_BITS;
}

export function countOf(posting: number): number {
  return posting & COUNT_MAX;
}

export interface FoundTerm {
  readonly postings: readonly number[];
  /** True for a piece of a word: weaker than the word itself. */
  readonly isPiece: boolean;
}

/** For each term, the turns that it stands in. */
export class Postings {
  readonly #lists = new Map<string, number[]>();
  #total = 0;
  #characters = 0;

  get bytes(): number {
    return this.#lists.size * TERM_BYTES + this.#total * POSTING_BYTES + this.#characters * 2;
  }

  add(slot: number, terms: Terms): void {
    for (const [at, term] of terms.list.entries()) {
      const count = terms.counts[at] ?? 1;
      const list = this.#lists.get(term);
      if (list === undefined) {
        this.#lists.set(term, [pack(slot, count)]);
        this.#characters += term.length;
      } else {
        list.push(pack(slot, count));
      }
    }
    this.#total += terms.list.length;
  }

  /** Those of the terms that are known, in their order. */
  find(terms: Terms): readonly FoundTerm[] {
    const found: FoundTerm[] = [];
    for (const term of terms.list) {
      const postings = this.#lists.get(term);
      if (postings !== undefined) found.push({ postings, isPiece: isPiece(term) });
    }
    return found;
  }

  /** Moves each slot to its new place; -1 forgets it, and the terms that stand nowhere else. */
  move(places: Int32Array): void {
    this.#total = 0;
    for (const [term, list] of this.#lists) {
      const kept: number[] = [];
      for (const posting of list) {
        const place = places[slotOf(posting)] ?? -1;
        if (place >= 0) kept.push(pack(place, countOf(posting)));
      }
      this.#total += kept.length;
      if (kept.length > 0) {
        this.#lists.set(term, kept);
      } else {
        this.#lists.delete(term);
        this.#characters -= term.length;
      }
    }
  }
}
