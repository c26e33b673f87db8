import { LIMITS } from "../domain/limits.js";

/** In which order tenants had their turn in a queue. Kept by whoever looks for jobs again and again, so that no backlog outlasts a turn. */
export class Turns {
  readonly #served = new Set<string>();

  /** The last one last. */
  get served(): readonly string[] {
    return [...this.#served];
  }

  note(tenant: string): void {
    this.#served.delete(tenant);
    this.#served.add(tenant);
    const [first] = this.#served;
    if (first !== undefined && this.#served.size > LIMITS.workTurnsMax) this.#served.delete(first);
  }
}
