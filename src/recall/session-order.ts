import { must } from "../domain/errors.js";

/** The turns of each session, in the order in which they were said: who stands beside whom. */
export class SessionOrder {
  readonly #saidFirst: (a: number, b: number) => number;
  /** Slots by the session's number. */
  readonly #said: number[][] = [];
  /** A slot's place among those of its session. */
  readonly #places: number[] = [];
  /** Sessions with a slot that came out of order. */
  readonly #mixed = new Set<number>();

  constructor(saidFirst: (a: number, b: number) => number) {
    this.#saidFirst = saidFirst;
  }

  /** Sessions, numbered from 0. */
  get sessions(): number {
    return this.#said.length;
  }

  add(slot: number, session: number): void {
    this.#said[session] ??= [];
    const said = must(this.#said[session], "the slots of a session");
    const last = said.at(-1);
    if (last !== undefined && this.#saidFirst(last, slot) > 0) this.#mixed.add(session);
    this.#places[slot] = said.push(slot) - 1;
  }

  /** The nearest flagged slot before (`step` -1) or behind (1) a slot of the session; -1 where there is none. */
  beside(slot: number, session: number, step: -1 | 1, flags: Uint8Array): number {
    if (this.#mixed.delete(session)) this.#sort(session);
    const said = this.#said[session] ?? [];
    for (let at = (this.#places[slot] ?? -1) + step; at >= 0 && at < said.length; at += step) {
      const other = said[at] ?? -1;
      if (flags[other] === 1) return other;
    }
    return -1;
  }

  #sort(session: number): void {
    const said = (this.#said[session] ?? []).sort(this.#saidFirst);
    for (const [place, slot] of said.entries()) this.#places[slot] = place;
  }
}
