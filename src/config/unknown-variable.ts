import { MunimentError } from "../domain/errors.js";

const SLIPS_MAX = 2;

/** Refuses a variable that no setting has, with the one that it is likeliest meant to be. */
export function unknownVariable(name: string, known: readonly string[]): MunimentError {
  const meant = nearestName(name, known);
  const perhaps = meant === null ? "" : `write ${meant} if that is meant, else `;
  return new MunimentError("invalid_input", `unknown environment variable ${name}`, {
    field: name,
    nextStep: `${perhaps}unset it: docs/cli.md lists those that there are`,
  });
}

/** The name that is likeliest meant by a misspelt one: with two slips at most; null where none is so near. */
function nearestName(given: string, names: readonly string[]): string | null {
  const [best] = names
    .map((name) => ({ name, slips: slipsBetween(given, name) }))
    .filter(({ slips }) => slips <= SLIPS_MAX)
    .sort((a, b) => a.slips - b.slips);
  return best?.name ?? null;
}

/** How many letters were left out, put in or taken for others. */
function slipsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [place, meant] of [...other].entries())
      next.push(
        Math.min(
          (next[place] ?? 0) + 1,
          (row[place + 1] ?? 0) + 1,
          (row[place] ?? 0) + (letter === meant ? 0 : 1),
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
