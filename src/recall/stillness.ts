/** Looks in a row that found a subject where its index stood, after which it is taken to stand there still. */
const LOOKS = 2;
/** The same after guesses that failed, each time this many times more, up to a bound: somebody else writes, too. */
const MORE = 4;
const LOOKS_MAX = 128;

/** Tells whether a subject is likely to stand still where its index does. A guess: whoever acts on it checks it. */
export class Stillness {
  #looks = 0;
  #wanted = LOOKS;

  get isLikely(): boolean {
    return this.#looks >= this.#wanted;
  }

  /** Somebody has looked where the subject stands. */
  saw(isWhereIndexStood: boolean): void {
    this.#looks = isWhereIndexStood ? this.#looks + 1 : 0;
  }

  /** The subject is being written to. */
  stir(): void {
    this.#looks = 0;
  }

  /** It was taken to stand still, and didn't. */
  failed(): void {
    this.#looks = 0;
    this.#wanted = Math.min(LOOKS_MAX, this.#wanted * MORE);
  }
}
