import { compareTexts, compareTimes, newestRevisions } from "./current-events.js";
import type { EventFact, EventFields, EventValue } from "./event.js";
import {
  candidateOf,
  FOLD_TIERS,
  type FoldCandidate,
  type FoldTier,
  saysOtherThan,
} from "./fold-candidate.js";
import { LIMITS } from "./limits.js";

/**
 * Why a candidate isn't current. `outranked`: another tier decides. `older`: the same tier has it later. `tie`: of one tier and
 * moment; which of them is shown says nothing. `beside`: a danger, which stands whatever else was said since. `superseded`, `ended`, `withdrawn`: it says so itself.
 */
export type FoldReason =
  | "outranked"
  | "older"
  | "tie"
  | "beside"
  | "superseded"
  | "ended"
  | "withdrawn";

/** By what the current one was picked. */
export type FoldRule = "only" | "tier" | "newest" | "tie";

export interface FoldValue {
  readonly id: string;
  readonly value: EventValue | null;
  readonly unit: string | null;
  readonly conditions: EventFields | null;
  readonly tier: FoldTier;
  readonly source: string;
  readonly effective_at: string;
  /** True for what was said that may hurt the person if it is forgotten. */
  readonly is_safety: boolean;
  readonly lineage: readonly string[];
}

export interface FoldCurrent extends FoldValue {
  /** Records of connectors that say the same in the same tier. What was generated counts once, however often it was said. */
  readonly records: number;
}

export interface FoldEntry {
  readonly key: string;
  /** Null where nothing that was said of the key stands. */
  readonly current: FoldCurrent | null;
  readonly rule: FoldRule | null;
  /** True where something that stands says another thing than the current value. */
  readonly disputed: boolean;
  readonly others: readonly (FoldValue & { readonly why: FoldReason })[];
  /** How many others there are. */
  readonly of: number;
}

/** What counts now, key by key. */
export interface Fold {
  readonly entries: readonly FoldEntry[];
}

/**
 * Picks the current value of each key: a function of the candidates alone, whatever their order. By tier, then by the later
 * effective time (never by the later arrival), then by id, which is shown as a tie. Keys of lists have no current value.
 */
export function fold(
  events: readonly EventFact[],
  generated: readonly FoldCandidate[],
  lists: ReadonlySet<string> = new Set(),
): Fold {
  const byKey = new Map<string, FoldCandidate[]>();
  for (const candidate of [...newestRevisions(events).map(candidateOf), ...generated]) {
    if (lists.has(candidate.key)) continue;
    const same = byKey.get(candidate.key);
    if (same === undefined) byKey.set(candidate.key, [candidate]);
    else same.push(candidate);
  }
  const keys = [...byKey].toSorted(([a], [b]) => compareTexts(a, b));
  return { entries: keys.map(([key, candidates]) => entryOf(key, candidates)) };
}

function entryOf(key: string, candidates: readonly FoldCandidate[]): FoldEntry {
  const ranked = candidates.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || compareTimes(a, b) || compareTexts(a.recordId, b.recordId),
  );
  const standing = ranked.filter(({ status }) => status === "active");
  const [current] = standing;
  const different = standing.filter(saysOtherThan(current));
  const contrary = different.filter((other) => current === undefined || !isBeside(other, current));
  // Dangers first: of many others only some are shown.
  const others = ranked
    .filter((candidate) => candidate !== current)
    .toSorted((a, b) => Number(isDanger(b)) - Number(isDanger(a)));
  const shown = others.slice(0, LIMITS.foldOthersMax);
  return {
    key,
    current:
      current === undefined
        ? null
        : { ...shownOf(current), records: agreeing(current, standing, different) },
    rule: current === undefined ? null : ruleOf(current, contrary),
    disputed: contrary.length > 0,
    others: shown.map((other) => ({ ...shownOf(other), why: whyNot(other, current) })),
    of: others.length,
  };
}

function isDanger({ isSafety, status }: FoldCandidate): boolean {
  return isSafety === true && status === "active";
}

function rankOf({ tier }: FoldCandidate): number {
  return FOLD_TIERS.indexOf(tier);
}

function shownOf(candidate: FoldCandidate): FoldValue {
  const { id, value, unit, conditions, tier, source, effectiveAt, lineage } = candidate;
  const effective_at = effectiveAt.toISOString();
  const is_safety = candidate.isSafety === true;
  return { id, value, unit, conditions, tier, source, effective_at, is_safety, lineage };
}

function agreeing(
  current: FoldCandidate,
  standing: readonly FoldCandidate[],
  different: readonly FoldCandidate[],
): number {
  if (!current.tier.startsWith("connector_")) return 1;
  const ofTier = (candidates: readonly FoldCandidate[]) =>
    candidates.filter(({ tier }) => tier === current.tier).length;
  return ofTier(standing) - ofTier(different);
}

function isLevel(a: FoldCandidate, b: FoldCandidate): boolean {
  return a.tier === b.tier && a.effectiveAt.getTime() === b.effectiveAt.getTime();
}

function ruleOf(current: FoldCandidate, contrary: readonly FoldCandidate[]): FoldRule {
  if (contrary.length === 0) return "only";
  if (contrary.some((other) => isLevel(current, other))) return "tie";
  return contrary.some(({ tier }) => tier === current.tier) ? "newest" : "tier";
}

function whyNot(other: FoldCandidate, current: FoldCandidate | undefined): FoldReason {
  if (other.status !== "active") return other.status;
  if (current === undefined || other.tier !== current.tier) return "outranked";
  if (isBeside(other, current)) return "beside";
  return isLevel(other, current) ? "tie" : "older";
}

/** Two dangers are a list: neither speaks against the other. */
function isBeside(other: FoldCandidate, current: FoldCandidate): boolean {
  return isDanger(other) && other.tier === current.tier;
}
