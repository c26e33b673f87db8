import { createHash } from "node:crypto";
import { assert } from "../../domain/errors.js";
import type { ArchivedColumn, ArchivedTable } from "./archived-table.js";

/** The text of a statement with the name under which it is prepared. */
export interface ArchiveText {
  readonly text: string;
  readonly name: string;
}

// INVARIANT: texts are made of the tables' descriptions alone, once each; nothing of a request gets into them. They pass the
// same tests as those that are written by hand (tests/storage/sql-source.ts).

/** Parameters that every text takes at the same place. */
const PLACES: Readonly<Record<string, string>> = {
  ":tenant": "$1",
  ":subject": "$2",
  ":now": "$4",
};

/** Makes one text of each table, when it is first asked for. */
export function textsBy(
  make: (table: ArchivedTable) => string,
): (table: ArchivedTable) => ArchiveText {
  const texts = new WeakMap<ArchivedTable, ArchiveText>();
  return (table) => {
    const known = texts.get(table);
    if (known !== undefined) return known;
    const text = make(table).replace(/:(?:tenant|subject|now)\b/g, (name) => PLACES[name] ?? name);
    const hash = createHash("sha256").update(text).digest("hex");
    const made = { text, name: `a${hash.slice(0, 24)}` };
    texts.set(table, made);
    return made;
  };
}

/** Columns that order an export. */
export function orderOf(table: ArchivedTable): readonly ArchivedColumn[] {
  return (table.order ?? table.key).map((name) => {
    const found = table.columns.find((column) => column.name === name);
    assert(found !== undefined, `an archived table lacks its column ${name}`);
    return found;
  });
}
