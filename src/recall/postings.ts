import { LIMITS } from "../domain/limits.js";
import { Block, countOf, placeOf, posting, type Stretch } from "./block.js";
import { hashTerm } from "./term-hash.js";
import type { Terms } from "./terms.js";

/** Bytes of a term and of a posting in memory that aren't packed yet: measured, rounded up. */
const TERM_BYTES = 120;
const POSTING_BYTES = 12;

export interface FoundTerm {
  /** Slots of the turns that it stands in, ascending. */
  readonly slots: Uint32Array;
  /** How often it stands in each of them. */
  readonly counts: Uint8Array;
}

const NOWHERE: FoundTerm = { slots: new Uint32Array(), counts: new Uint8Array() };

/** A block and the slot of its first turn. */
interface Laid {
  readonly base: number;
  readonly block: Block;
}

/** For each term, the turns that it stands in: packed blocks, and the newest turns that aren't packed yet. */
export class Postings {
  #laid: Laid[] = [];
  #tail = new Map<number, number[]>();
  #tailBase = 0;
  #tailTurns = 0;
  #tailPostings = 0;

  get bytes(): number {
    const packed = this.#laid.reduce((total, { block }) => total + block.bytes, 0);
    return packed + this.#tail.size * TERM_BYTES + this.#tailPostings * POSTING_BYTES;
  }

  /** Takes in the turn of the next slot. */
  add(terms: Terms): void {
    const place = this.#tailTurns;
    for (const [at, term] of terms.list.entries()) {
      const hash = hashTerm(term);
      const one = posting(place, terms.counts[at] ?? 1);
      const list = this.#tail.get(hash);
      if (list === undefined) this.#tail.set(hash, [one]);
      else list.push(one);
    }
    this.#tailTurns += 1;
    this.#tailPostings += terms.list.length;
    if (this.#tailTurns === LIMITS.segmentTurnsMax) this.#pack();
  }

  /** Takes in the turns of the next slots, packed. */
  addBlock(block: Block): void {
    if (this.#tailTurns > 0) this.#pack();
    this.#lay(block);
  }

  /** Where a term stands. */
  find(term: string): FoundTerm {
    const hash = hashTerm(term);
    const tail = this.#tail.get(hash) ?? [];
    const stretches = this.#stretches(hash);
    const total = stretches.reduce((sum, { from, to }) => sum + to - from, tail.length);
    if (total === 0) return NOWHERE;
    const slots = new Uint32Array(total);
    const counts = new Uint8Array(total);
    let at = 0;
    for (const { base, block, from, to } of stretches) {
      for (let place = from; place < to; place += 1) {
        const one = block.postings[place] ?? 0;
        slots[at] = base + placeOf(one);
        counts[at] = countOf(one);
        at += 1;
      }
    }
    for (const one of tail) {
      slots[at] = this.#tailBase + placeOf(one);
      counts[at] = countOf(one);
      at += 1;
    }
    return { slots, counts };
  }

  /** True where a term stands in one of the flagged slots. */
  standsInAny(term: string, flags: Uint8Array): boolean {
    const hash = hashTerm(term);
    const isFlagged = (base: number, one: number) => flags[base + placeOf(one)] === 1;
    return (
      (this.#tail.get(hash) ?? []).some((one) => isFlagged(this.#tailBase, one)) ||
      this.#stretches(hash).some(({ base, block, from, to }) =>
        block.postings.subarray(from, to).some((one) => isFlagged(base, one)),
      )
    );
  }

  /** Moves each slot to its new place, in their old order; -1 forgets it, and the terms that stand nowhere else. */
  move(places: Int32Array): void {
    if (this.#tailTurns > 0) this.#pack();
    const laid = this.#laid;
    this.#laid = [];
    this.#tailBase = 0;
    for (const { base, block } of laid) {
      const to = this.#tailBase;
      const kept = places.subarray(base, base + block.turns).filter((place) => place >= 0).length;
      if (kept === block.turns) this.#lay(block);
      else if (kept > 0)
        this.#lay(
          block.move((place) => {
            const slot = places[base + place] ?? -1;
            return slot < 0 ? -1 : slot - to;
          }, kept),
        );
    }
  }

  #stretches(hash: number): readonly (Laid & Stretch)[] {
    const found: (Laid & Stretch)[] = [];
    for (const { base, block } of this.#laid) {
      const stretch = block.find(hash);
      if (stretch !== null) found.push({ base, block, from: stretch.from, to: stretch.to });
    }
    return found;
  }

  #pack(): void {
    const block = Block.of(this.#tailTurns, this.#tail);
    this.#tail = new Map();
    this.#tailTurns = 0;
    this.#tailPostings = 0;
    this.#lay(block);
  }

  #lay(block: Block): void {
    this.#laid.push({ base: this.#tailBase, block });
    this.#tailBase += block.turns;
  }
}
