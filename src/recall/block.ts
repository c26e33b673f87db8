import { assert } from "../domain/errors.js";

/** Bits of a posting that hold the term's count; the turn's place in its block stands above them. */
const COUNT_BITS = 7;
const COUNT_MAX = (1 << COUNT_BITS) - 1;

/** Turns of one block at most: their places fill the other nine bits. */
export const BLOCK_TURNS_MAX = 512;

/** Bytes of a block in memory beside its arrays. */
const BLOCK_BYTES = 400;

/** A term's stand in one turn of a block. Counts end at 127: ranking can't tell more apart. */
export function posting(place: number, count: number): number {
  return (place << COUNT_BITS) | Math.min(count, COUNT_MAX);
}

export function placeOf(one: number): number {
  return one >> COUNT_BITS;
}

export function countOf(one: number): number {
  return one & COUNT_MAX;
}

/** Where a term's postings stand in their block. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * For each term, the turns of a stretch of neighbours that it stands in: packed into arrays and never changed. What is
 * sealed in a segment is a block, so that a cold index is opened and not built.
 */
export class Block {
  /** Turns, those counted that were left out when it was packed. */
  readonly turns: number;
  /** Of each term, by `starts` of its place among the ascending hashes; a term's own ascend by place. */
  readonly postings: Uint16Array;
  readonly #hashes: Float64Array;
  readonly #starts: Uint32Array;

  constructor(turns: number, hashes: Float64Array, starts: Uint32Array, postings: Uint16Array) {
    assert(turns <= BLOCK_TURNS_MAX, "a block holds no more turns than a posting can name");
    this.turns = turns;
    this.#hashes = hashes;
    this.#starts = starts;
    this.postings = postings;
  }

  /** Packs lists of postings by their term's hash. Each list ascends by place. */
  static of(turns: number, lists: ReadonlyMap<number, readonly number[]>): Block {
    const hashes = Float64Array.from(lists.keys()).sort();
    const starts = new Uint32Array(hashes.length + 1);
    for (const [at, hash] of hashes.entries())
      starts[at + 1] = (starts[at] ?? 0) + (lists.get(hash)?.length ?? 0);
    const postings = new Uint16Array(starts.at(-1) ?? 0);
    for (const [at, hash] of hashes.entries()) postings.set(lists.get(hash) ?? [], starts[at]);
    return new Block(turns, hashes, starts, postings);
  }

  get bytes(): number {
    return (
      BLOCK_BYTES + this.#hashes.byteLength + this.#starts.byteLength + this.postings.byteLength
    );
  }

  /** Null where no turn of the block has the term. */
  find(hash: number): Stretch | null {
    const hashes = this.#hashes;
    let low = 0;
    let high = hashes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((hashes[middle] ?? 0) < hash) low = middle + 1;
      else high = middle;
    }
    if (hashes[low] !== hash) return null;
    return { from: this.#starts[low] ?? 0, to: this.#starts[low + 1] ?? 0 };
  }

  /** The block without the turns whose place is -1; the others move to their new places, in their old order. */
  move(places: (place: number) => number, turns: number): Block {
    const lists = new Map<number, number[]>();
    for (const [at, hash] of this.#hashes.entries()) {
      const kept: number[] = [];
      for (const one of this.postings.subarray(this.#starts[at], this.#starts[at + 1])) {
        const place = places(placeOf(one));
        if (place >= 0) kept.push(posting(place, countOf(one)));
      }
      if (kept.length > 0) lists.set(hash, kept);
    }
    return Block.of(turns, lists);
  }

  /** The block as bytes to seal, little-endian: number of turns, terms and postings, then the arrays. */
  encode(): Uint8Array {
    const head = Uint32Array.of(this.turns, this.#hashes.length, this.postings.length);
    const parts = [head, this.#hashes, this.#starts, this.postings];
    const bytes = new Uint8Array(parts.reduce((total, part) => total + part.byteLength, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
      at += part.byteLength;
    }
    return bytes;
  }

  static decode(bytes: Uint8Array): Block {
    let at = 0;
    // Copies: the arrays need places that are aligned, and the bytes around them shall not be kept.
    const take = (length: number) => {
      assert(at + length <= bytes.length, "a block ends before its arrays do");
      const { buffer } = new Uint8Array(bytes.subarray(at, at + length));
      at += length;
      return buffer;
    };
    const [turns = 0, terms = 0, postings = 0] = new Uint32Array(take(12));
    return new Block(
      turns,
      new Float64Array(take(terms * 8)),
      new Uint32Array(take((terms + 1) * 4)),
      new Uint16Array(take(postings * 2)),
    );
  }
}
