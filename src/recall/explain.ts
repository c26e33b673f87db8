import type { Hit } from "./search-result.js";

type Weighed = Pick<Hit, "score" | "parts">;

/** Parts of a score that are added up; the others multiply the sum. */
const SHARES: ReadonlySet<string> = new Set(["words", "meaning", "previous", "next", "session"]);

/**
 * The part of its score that puts a hit above the next one; "newer" where they are equal, null for the last one and where
 * nothing was matched.
 */
export function whyAbove({ score, parts }: Weighed, next: Weighed | undefined): string | null {
  if (next === undefined || Object.keys(parts).length === 0) return null;
  if (score === next.score) return "newer";
  const sum = sumOf(parts);
  const gains = Object.entries(parts).map(([name, value]) => {
    const other = next.parts[name] ?? (SHARES.has(name) ? 0 : 1);
    const gain = SHARES.has(name) ? (value - other) / sum : Math.log(value / other);
    return { name, gain };
  });
  return gains.reduce((best, one) => (one.gain > best.gain ? one : best)).name;
}

function sumOf(parts: Hit["parts"]): number {
  return Object.entries(parts).reduce(
    (sum, [name, value]) => (SHARES.has(name) ? sum + value : sum),
    0,
  );
}
