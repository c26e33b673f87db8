import type { TurnId } from "../domain/ids.js";
import { likeness, type Vector } from "./vector.js";

/** Bytes of a vector in memory beside its values: measured, rounded up. */
const VECTOR_BYTES = 200;

/** The vectors of a subject's turns, all of one model. A long turn has one for each of its pieces. */
export class VectorTable {
  readonly #vectors = new Map<TurnId, readonly Vector[]>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** In place of those that the turn had. */
  put(id: TurnId, vectors: readonly Vector[]): void {
    this.remove(id);
    if (vectors.length === 0) return;
    this.#vectors.set(id, vectors);
    this.#bytes += bytesOf(vectors);
  }

  remove(id: TurnId): void {
    this.#bytes -= bytesOf(this.#vectors.get(id) ?? []);
    this.#vectors.delete(id);
  }

  /** Lets go of the turns that aren't there any more. */
  keep(isThere: (id: TurnId) => boolean): void {
    for (const id of this.#vectors.keys()) if (!isThere(id)) this.remove(id);
  }

  /** How like the turn is to what is asked, by its likest piece; 0 where it has no vector of the question's kind. */
  likeness(id: TurnId, asked: Vector): number {
    let best = 0;
    for (const vector of this.#vectors.get(id) ?? []) {
      if (vector.values.length === asked.values.length)
        best = Math.max(best, likeness(vector, asked));
    }
    return best;
  }
}

function bytesOf(vectors: readonly Vector[]): number {
  return vectors.reduce((total, { values }) => total + values.length + VECTOR_BYTES, 0);
}
