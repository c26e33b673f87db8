import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { readSettings } from "../../src/config/settings.js";
import { SUBJECT_TABLES } from "../../src/storage/queries/subject-end.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, type TestMuniment } from "../support/muniment.js";
import { writersOf } from "./writers.js";

interface MemoryClass {
  readonly name: string;
  readonly table: string;
  readonly writers: readonly string[];
  readonly provenance: readonly string[];
  readonly clock: string;
}

const PAGE = join(import.meta.dirname, "../../docs/concepts/classes.md");
const words = (cell: string) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, word]) => String(word));

/** Rows of the page's table number `at`, by their cells. */
function rowsOf(at: number): readonly (readonly string[])[] {
  const tables = readFileSync(PAGE, "utf8")
    .split("\n\n")
    .filter((part) => part.startsWith("|"));
  const [, , ...rows] = (tables[at] ?? "").trim().split("\n");
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const CLASSES: readonly MemoryClass[] = rowsOf(0).map(
  ([name = "", table = "", writers = "", provenance = "", clock = ""]) => ({
    name,
    table: words(table)[0] ?? "",
    writers: words(writers),
    provenance: words(provenance),
    clock,
  }),
);

const LAYERS = rowsOf(1).map(([name = "", owner = "", clocks = ""]) => ({
  name,
  owner,
  settings: [...clocks.matchAll(/MUNIMENT_[A-Z_]+/g)].map(([setting]) => setting),
}));

/** What is kept of a person beside their memory: how it is found, who is who, what is under way. */
const NO_MEMORY = [
  "vector",
  "segment",
  "escalation",
  "pack",
  "candidate",
  "work",
  "run",
  "session",
  "external_id",
  "idempotency",
];

describeEachDatabase("classes of memory", (database) => {
  let m: TestMuniment;
  /** Columns by table, and whether they may be empty. */
  let columns: ReadonlyMap<string, ReadonlyMap<string, boolean>>;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    const rows = await m.db.query<{ table: string; name: string; empty: boolean }>(
      `select c.relname as "table", a.attname as name, not a.attnotnull as empty
        from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'muniment' and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
    );
    const found = new Map<string, Map<string, boolean>>();
    for (const { table, name, empty } of rows)
      found.set(table, (found.get(table) ?? new Map()).set(name, empty));
    columns = found;
  });

  it("S5-04 every table with memory of a person is a class of the page, or is named as none", () => {
    const named = CLASSES.map(({ table }) => table);
    expect([...named, ...NO_MEMORY].toSorted()).toEqual([...SUBJECT_TABLES].toSorted());
    expect(rowsOf(2).length).toBeGreaterThan(0);
  });

  it.each(CLASSES)(
    "S5-04 S2-01 $name is written by the operations that the page names, and by no others",
    ({ table, writers }) => {
      expect(writersOf(table)).toEqual(writers.toSorted());
    },
  );

  it.each(LAYERS)(
    "S2-01 the $name layer has an owner, and clocks that the operator sets",
    ({ owner, settings }) => {
      expect(owner).not.toBe("");
      expect(settings.length).toBeGreaterThan(0);
      // Each is a setting with bounds: what is beyond them is refused by name.
      for (const name of settings)
        expect(() => readSettings({}, { [name]: "-1" })).toThrow(`(${name}) isn't valid`);
    },
  );

  it.each(CLASSES)(
    "S5-04 $name always says where it comes from, and has the clock of the page",
    ({ table, provenance, clock }) => {
      const own = columns.get(table);
      expect(provenance.length).toBeGreaterThan(1);
      for (const name of provenance) expect([name, own?.get(name)]).toEqual([name, false]);
      const [of, column = words(clock)[0]] = clock.match(/^(\w+): `(\w+)`$/)?.slice(1) ?? [table];
      if (column !== undefined) expect(columns.get(String(of))?.has(column)).toBe(true);
    },
  );
});
