/** Gives each name a small number, the same whenever it comes again. */
export class Numbering<Name extends string> {
  readonly #numbers = new Map<Name, number>();

  /** The names in the order of their numbers. */
  get names(): readonly Name[] {
    return [...this.#numbers.keys()];
  }

  /** The number of a name that came already. */
  find(name: Name): number | undefined {
    return this.#numbers.get(name);
  }

  of(name: Name): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(name, number);
    return number;
  }
}
