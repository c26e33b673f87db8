import type { EventValue } from "./event.js";
import { invalid, parseFields, parseList, parseName } from "./fields.js";
import { parseLimit, parseText } from "./input.js";
import { LIMITS } from "./limits.js";
import { KEY_NAME, NAME } from "./name.js";
import type { Projection, ProjectionSection } from "./projection.js";
import { FOLD, USER_MODEL } from "./view.js";

/** A projection as its author defines it, strict. */
export function parseProjection(value: unknown): Projection {
  const given = parseFields(value, "", ["projection", "description", "sections"]);
  const id = parseName(given.projection, "projection", KEY_NAME);
  if (id === USER_MODEL || id === FOLD)
    throw invalid("projection", "is the name of a view of another kind");
  if (!Array.isArray(given.sections)) throw invalid("sections", "must be a list");
  if (given.sections.length > LIMITS.projectionSectionsMax)
    throw invalid("sections", `has more than ${LIMITS.projectionSectionsMax} entries`);
  const sections = given.sections.map((item: unknown, index) =>
    parseSection(item, `sections.${index}`),
  );
  const [first, ...rest] = sections;
  if (first === undefined) throw invalid("sections", "is empty");
  const keys = sections.map(({ key }) => key);
  if (new Set(keys).size < keys.length) throw invalid("sections", "has a key twice");
  const description = parseText(given.description, "description", LIMITS.eventCharsMax);
  return { id, description, sections: [first, ...rest] };
}

function parseSection(value: unknown, at: string): ProjectionSection {
  const given = parseFields(value, at, ["key", "title", "fields", "items_max"]);
  const [first, ...rest] = parseList(
    given.fields,
    `${at}.fields`,
    LIMITS.eventFieldsMax,
    (item, field) => parseName(item, field, NAME),
  );
  if (first === undefined) throw invalid(`${at}.fields`, "is empty");
  return {
    key: parseName(given.key, `${at}.key`, NAME),
    title: parseText(given.title, `${at}.title`, LIMITS.fieldCharsMax),
    fields: [first, ...rest],
    itemsMax:
      given.items_max === undefined
        ? null
        : parseLimit(given.items_max, `${at}.items_max`, LIMITS.projectionItemsMax),
  };
}

/** Keys whose events are lists: a list has no one current value. */
export function listKeys(projections: readonly Projection[]): ReadonlySet<string> {
  return new Set(projections.flatMap(({ sections }) => sections.map(({ key }) => key)));
}

/** Refuses an event that a list couldn't show: what isn't there to be seen would be missed by nobody. */
export function checkListed(
  projections: readonly Projection[],
  { key, value }: { readonly key: string; readonly value?: EventValue | undefined },
): void {
  if (value === undefined || typeof value !== "object") return;
  for (const { sections } of projections)
    for (const { key: listed, fields } of sections)
      if (listed === key && !Object.hasOwn(value, fields[0]))
        throw invalid("value", `lacks \`${fields[0]}\`, by which its list names it`);
}
