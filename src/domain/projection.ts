import { compareTexts, foldText, newestRevisions } from "./current-events.js";
import type { EventFact, EventFields, EventKind, EventScalar } from "./event.js";
import type { EventId } from "./ids.js";

/** One list of a projection: all records of a key that stand. */
export interface ProjectionSection {
  /** Key of the events that it lists. */
  readonly key: string;
  readonly title: string;
  /** What of an event's value is shown. The first has to be there; a value without fields is the first. */
  readonly fields: readonly [string, ...string[]];
  /** Items at most; null for a list that is never truncated. */
  readonly itemsMax: number | null;
}

/** How structured state is made of events. */
export interface Projection {
  /** Name of the view. */
  readonly id: string;
  readonly description: string;
  readonly sections: readonly [ProjectionSection, ...ProjectionSection[]];
}

export interface StateItem {
  /** Null where no record says it. */
  readonly fields: Readonly<Record<string, EventScalar | null>>;
  /** Of the value that they tell of. */
  readonly unit: string | null;
  /** Under which it holds: without them it would say more than its records. */
  readonly conditions: EventFields | null;
  /** Of all its records: what was concluded doesn't make what was measured newer. */
  readonly kind: EventKind;
  /** From when on, by the newest of its records. */
  readonly effective_at: string;
  /** Records of connectors that say it. Each counts once, however often it was sent. */
  readonly event_ids: readonly EventId[];
}

export interface StateSection {
  readonly key: string;
  readonly title: string;
  readonly items: readonly StateItem[];
  /** How many there are, and how many of them are shown. */
  readonly of: number;
  readonly shown: number;
}

/** What connectors say of a person, as lists. */
export interface StructuredState {
  readonly sections: readonly StateSection[];
}

/**
 * Makes structured state of events: a function of them alone, whatever their order. A record counts by its newest revision,
 * and only while that is active; no record ends or replaces another one's. Records that say the same are one item; those that
 * differ in anything that is shown stand apart.
 */
export function project({ sections }: Projection, facts: readonly EventFact[]): StructuredState {
  const active = newestRevisions(facts).filter(({ status }) => status === "active");
  return { sections: sections.map((section) => list(section, active)) };
}

function list(section: ProjectionSection, active: readonly EventFact[]): StateSection {
  const groups = new Map<string, EventFact[]>();
  for (const fact of active) {
    if (fact.key !== section.key) continue;
    const identity = identityOf(section, fact);
    const group = groups.get(identity);
    if (group === undefined) groups.set(identity, [fact]);
    else group.push(fact);
  }
  const all = [...groups.values()].map((group) => itemOf(section, group)).toSorted(compareItems);
  const items = section.itemsMax === null ? all : all.slice(0, section.itemsMax);
  const { key, title } = section;
  return { key, title, items, of: all.length, shown: items.length };
}

function fieldsOf({ fields }: ProjectionSection, { value }: EventFact): StateItem["fields"] {
  const given: Readonly<Record<string, EventScalar>> =
    value !== null && typeof value === "object" ? value : { [fields[0]]: value ?? "" };
  return Object.fromEntries(
    fields.map((name) => [name, Object.hasOwn(given, name) ? (given[name] ?? null) : null]),
  );
}

function identityOf(section: ProjectionSection, fact: EventFact): string {
  const { kind, unit, conditions } = fact;
  const shown = Object.values(fieldsOf(section, fact));
  const under = Object.entries(conditions ?? {}).toSorted(([a], [b]) => compareTexts(a, b));
  // Units as they are spelled: `mg` isn't `Mg`.
  return JSON.stringify([kind, unit, ...[...shown, ...under.flat()].map(spelledAlike)]);
}

function spelledAlike(item: EventScalar | null): EventScalar | null {
  return typeof item === "string" ? foldText(item) : item;
}

function itemOf(section: ProjectionSection, group: readonly EventFact[]): StateItem {
  const ordered = group.toSorted(
    (a, b) =>
      b.effectiveAt.getTime() - a.effectiveAt.getTime() || compareTexts(a.eventId, b.eventId),
  );
  const [newest] = ordered as [EventFact, ...EventFact[]];
  return {
    fields: fieldsOf(section, newest),
    unit: newest.unit,
    conditions: newest.conditions,
    kind: newest.kind,
    effective_at: newest.effectiveAt.toISOString(),
    event_ids: ordered.map(({ eventId }) => eventId),
  };
}

/** Newest first. */
function compareItems(a: StateItem, b: StateItem): number {
  const said = ({ fields, unit, conditions, kind }: StateItem) =>
    JSON.stringify([...Object.values(fields), unit, conditions, kind]);
  return compareTexts(b.effective_at, a.effective_at) || compareTexts(said(a), said(b));
}
