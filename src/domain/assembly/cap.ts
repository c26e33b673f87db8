import { MunimentError } from "../errors.js";
import type { Line } from "./line.js";
import type { Page } from "./page.js";

/** Lines that stay or go together. */
export type Unit = readonly Line[];

export interface Wanted {
  /** What is never dropped. */
  readonly required: readonly Line[];
  /** The rest, what is dropped last first. */
  readonly optional: readonly Unit[];
}

export interface Kept {
  readonly kept: ReadonlySet<Line>;
  readonly tokens: number;
}

/**
 * Keeps what is required, then whole units in their order up to the first that doesn't fit: all after it go with it,
 * so nothing is dropped while something that should go before it stays. Later units aren't even counted.
 */
export function keepWithin(wanted: Wanted, tokensMax: number, page: Page): Kept {
  const kept = new Set(wanted.required);
  let tokens = page.headingTokens + sum(wanted.required, page);
  if (wanted.required.length > 0 && tokens > tokensMax) {
    throw new MunimentError(
      "cap_too_small",
      `what may not be dropped needs ${tokens} tokens, the cap is ${tokensMax}`,
    );
  }
  for (const unit of wanted.optional) {
    const more = sum(unit, page);
    if (tokens + more > tokensMax) break;
    tokens += more;
    for (const line of unit) kept.add(line);
  }
  return { kept, tokens: kept.size === 0 ? 0 : tokens };
}

function sum(lines: readonly Line[], page: Page): number {
  return lines.reduce((total, line) => total + page.tokensOf(line), 0);
}
