import { valueKey } from "./current-events.js";
import type { EventFact, EventFields, EventStatus, EventValue } from "./event.js";

/** How far a value is believed, best first: whatever a connector says outranks whatever was generated. */
export const FOLD_TIERS = [
  "connector_measurement",
  "connector_report",
  "connector_inference",
  "reported",
  "inferred",
] as const;
export type FoldTier = (typeof FOLD_TIERS)[number];

/** Something that could be the current value of its key. */
export interface FoldCandidate {
  readonly id: string;
  /** Whose other revisions aren't candidates beside it: a source's record, or itself. */
  readonly recordId: string;
  readonly key: string;
  readonly tier: FoldTier;
  /** The system that it comes from, or `conversation`. */
  readonly source: string;
  readonly status: EventStatus | "superseded";
  readonly value: EventValue | null;
  readonly unit: string | null;
  readonly conditions: EventFields | null;
  readonly effectiveAt: Date;
  /** Rows that it was made of, its own id where it is primary. */
  readonly lineage: readonly string[];
  /** True for what may hurt the person if it is forgotten: another danger makes it no older. */
  readonly isSafety?: boolean;
}

/** An event as a candidate. */
export function candidateOf(fact: EventFact): FoldCandidate {
  const { eventId, recordId, kind, key, source, status, value, unit, conditions, effectiveAt } =
    fact;
  const lineage = [eventId];
  return {
    id: eventId,
    recordId,
    key,
    tier: `connector_${kind}`,
    source,
    status,
    value,
    unit,
    conditions,
    effectiveAt,
    lineage,
  };
}

/** Tells of a candidate whether it says another thing than this one. */
export function saysOtherThan(
  current: FoldCandidate | undefined,
): (other: FoldCandidate) => boolean {
  if (current === undefined) return () => false;
  const said = saidBy(current);
  return (other) => saidBy(other) !== said;
}

/** The same for two candidates that say the same, in one unit and under the same conditions. */
function saidBy({ value, unit, conditions }: FoldCandidate): string {
  return JSON.stringify([valueKey(value), unit, valueKey(conditions)]);
}
