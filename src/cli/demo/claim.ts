/** What a step claims isn't so. */
export class ClaimError extends Error {
  constructor(what: string) {
    super(`not so: ${what}`);
    this.name = "ClaimError";
  }
}

export function claim(holds: unknown, what: string): asserts holds {
  if (!holds) throw new ClaimError(what);
}

export function same(found: unknown, expected: unknown, what: string): void {
  claim(
    JSON.stringify(found) === JSON.stringify(expected),
    `${what} (found ${JSON.stringify(found)})`,
  );
}
