import type { TurnId } from "../domain/ids.js";
import type { Hit } from "./search-result.js";

/** What somebody said: the hit's id is the turn's. */
interface Primary {
  readonly hit: Hit;
  readonly observedAt: Date;
}

/** What was made of turns. */
interface Derived extends Primary {
  readonly turnIds: readonly TurnId[];
}

/** A hit in its place in the one list, with its score and the parts of it there. */
export type Merged<P, D> =
  | { readonly kind: "turn"; readonly one: P; readonly hit: Hit; readonly derived: readonly D[] }
  | { readonly kind: "observation"; readonly one: D; readonly hit: Hit };

/** By score, each list's best counting as much as it has of what was asked; or by time alone, where nothing was weighed. */
export type MergeOrder = "score" | "newest";

interface MergeOptions {
  readonly order: MergeOrder;
  readonly limit: number;
  /** The share of the question that the best of each list has. */
  readonly fits: readonly [primary: number, derived: number];
}

/** What a paraphrase counts beside somebody's own words. */
const PARAPHRASE = 0.9;

/**
 * One list of what was said and of what was made of it, one hit a source: what was made of a turn that was found too stands
 * with the turn. The turn takes the better of the two places, whatever number of them there is: repeating makes nothing surer.
 */
export function mergeSources<P extends Primary, D extends Derived>(
  primary: readonly P[],
  derived: readonly D[],
  { order, limit, fits }: MergeOptions,
): readonly Merged<P, D>[] {
  const [said, made] = fits.map((fit) => fit / (Math.max(...fits) || 1));
  const found = new Set(primary.map(({ hit }) => hit.id));
  const sourceOf = ({ turnIds }: D) => turnIds.find((id) => found.has(id));
  const placed = derived.map((one) => ({
    source: sourceOf(one),
    kind: "observation" as const,
    one,
    hit: scaled(
      one.hit,
      (made ?? 1) / bestOf(derived),
      order === "score" ? { paraphrase: PARAPHRASE } : {},
    ),
  }));
  const turns = primary.map((one) => {
    const own = placed.filter(({ source }) => source === one.hit.id);
    const hit = lifted(scaled(one.hit, (said ?? 1) / bestOf(primary), {}), own);
    return { kind: "turn" as const, one, hit, derived: own.map((it) => it.one) };
  });
  const alone = placed.flatMap(({ source, ...rest }) => (source === undefined ? [rest] : []));
  return [...turns, ...alone].sort(byOrder(order)).slice(0, limit);
}

/** Equal ones stay as they are: turns first, each kind in its own order. */
function byOrder(order: MergeOrder) {
  return (a: Merged<Primary, Derived>, b: Merged<Primary, Derived>): number =>
    order === "score"
      ? b.hit.score - a.hit.score
      : b.one.observedAt.getTime() - a.one.observedAt.getTime();
}

function bestOf(found: readonly Primary[]): number {
  return found.reduce((best, { hit }) => Math.max(best, hit.score), 0) || 1;
}

function scaled(hit: Hit, scale: number, more: Hit["parts"]): Hit {
  const { score, parts } = hit;
  const factor = Object.values(more).reduce((product, value) => product * value, scale);
  const isWeighed = Object.keys(parts).length > 0;
  return {
    ...hit,
    score: score * factor,
    parts: isWeighed ? { ...parts, scale, ...more } : {},
  };
}

/** A turn has at least the place that what was made of it would have. */
function lifted(hit: Hit, made: readonly { readonly hit: Hit }[]): Hit {
  const score = made.reduce((best, one) => Math.max(best, one.hit.score), hit.score);
  if (score === hit.score) return hit;
  return { ...hit, score, parts: { ...hit.parts, observed: score / hit.score } };
}
