import type { EventFields, EventKind, EventScalar, EventValue } from "../event.js";
import type { FoldTier } from "../fold-candidate.js";
import type { Fold, FoldEntry, FoldValue } from "../fold-rules.js";
import type { StateItem, StateSection, StructuredState } from "../projection.js";
import type { DerivedCandidate, DerivedConfidence } from "./candidate.js";
import { asValue } from "./one-line.js";

const KIND_CONFIDENCE: Readonly<Record<EventKind, DerivedConfidence>> = {
  measurement: "measured",
  report: "reported",
  inference: "inferred",
};

const TIER_CONFIDENCE: Readonly<Record<FoldTier, DerivedConfidence>> = {
  connector_measurement: "measured",
  connector_report: "reported",
  connector_inference: "inferred",
  reported: "reported",
  inferred: "derived",
};

/** Best first: a block is believed as far as the least of what it shows. */
const CONFIDENCES = ["measured", "reported", "inferred", "derived"] as const;

/** Structured state for a pack: a block for each list that has something in it. */
export function stateCandidates(view: string, state: StructuredState): readonly DerivedCandidate[] {
  return state.sections.flatMap((section) => {
    const [first] = section.items;
    if (first === undefined) return [];
    return [
      {
        kind: "structured_state",
        name: `${view}.${section.key}`,
        sources: section.items.flatMap(({ event_ids }) => event_ids),
        text: sectionText(section),
        confidence: leastOf(section.items),
        labels: [["shown", `${section.shown} of ${section.of}`]],
        at: new Date(first.effective_at),
      },
    ];
  });
}

function leastOf(items: readonly StateItem[]): DerivedConfidence {
  const found = items.map(({ kind }) => KIND_CONFIDENCE[kind]);
  return CONFIDENCES.findLast((confidence) => found.includes(confidence)) ?? "derived";
}

/** What doesn't fit is counted: a list that ends isn't a list that is whole. */
function sectionText({ title, items, of, shown }: StateSection): string {
  const lines = items.map(({ fields, unit, conditions, kind, effective_at }) => {
    const [name, ...rest] = Object.entries(fields);
    const more = [...rest, ["unit", unit] as const].flatMap(([key, value]) =>
      value === null ? [] : [`${key} ${scalarText(value)}`],
    );
    const under = conditions === null ? [] : [`only under: ${fieldsText(conditions)}`];
    const said = [scalarText(name?.[1]), ...more, ...under].join(", ");
    return `- ${said} (${KIND_CONFIDENCE[kind]}, since ${effective_at.slice(0, 10)})`;
  });
  const left = shown < of ? [`… and ${of - shown} more, not shown: ${of} in all`] : [];
  return [
    `${title}, by connectors (outranks what was said, but no danger that was said):`,
    ...lines,
    ...left,
  ].join("\n");
}

/**
 * Current values for a pack: a block for each key that has one. What the person's model tells anyway isn't said again, unless a
 * connector has a say in it.
 */
export function foldCandidates(
  { entries }: Fold,
  told: ReadonlySet<string> = new Set(),
): readonly DerivedCandidate[] {
  return entries.flatMap((entry) => {
    const { key, current } = entry;
    if (current === null || isTold(entry, current, told)) return [];
    const against = againstOf(entry, current);
    return [
      {
        kind: "current_value",
        name: key,
        sources: [...new Set([current, ...against].flatMap(({ lineage }) => lineage))],
        text: entryText(key, current, against),
        confidence: TIER_CONFIDENCE[current.tier],
        labels: [
          ["from", current.source],
          ...(current.is_safety ? [["about", "safety"] as const] : []),
          ...(entry.disputed ? [["disputed", entry.rule ?? ""] as const] : []),
        ],
        at: new Date(current.effective_at),
      },
    ];
  });
}

function isTold({ others }: FoldEntry, current: FoldValue, told: ReadonlySet<string>): boolean {
  const isGenerated = [current, ...others].every(({ tier }) => !tier.startsWith("connector_"));
  return isGenerated && told.has(current.id);
}

function againstOf({ others }: FoldEntry, current: FoldValue): FoldEntry["others"] {
  return others
    .filter(({ why }) => why === "outranked" || why === "tie" || why === "beside")
    .filter((other) => valueText(other) !== valueText(current));
}

/** The current value, and beside it what stands against it. */
function entryText(key: string, current: FoldValue, against: FoldEntry["others"]): string {
  const linesOf = (title: string, others: FoldEntry["others"]) => {
    const lines = others.map(
      (other) =>
        `- ${valueText(other)} (from ${asValue(other.source)}, ${other.is_safety ? "about safety, " : ""}${other.why})`,
    );
    return lines.length === 0 ? [] : [title, ...lines];
  };
  return [
    `${key}: ${valueText(current)}`,
    ...linesOf("Beside it stands, whatever else was said:", against.filter(isBeside)),
    ...linesOf(
      "Against it stands:",
      against.filter((other) => !isBeside(other)),
    ),
  ].join("\n");
}

function isBeside({ why }: FoldEntry["others"][number]): boolean {
  return why === "beside";
}

function valueText({
  value,
  unit,
  conditions,
}: Pick<FoldValue, "value" | "unit" | "conditions">): string {
  const said = fieldsText(value);
  const measured = unit === null ? said : `${said} ${asValue(unit)}`;
  return conditions === null ? measured : `${measured} (${fieldsText(conditions)})`;
}

function fieldsText(value: EventValue | EventFields | null): string {
  if (value === null || typeof value !== "object") return scalarText(value);
  return Object.entries(value)
    .map(([key, item]) => `${key} ${scalarText(item)}`)
    .join(", ");
}

function scalarText(value: EventScalar | null | undefined): string {
  return asValue(String(value ?? ""));
}
