import { beforeAll, expect, it } from "vitest";
import { KEPT_STORES } from "../../src/domain/erased-stores.js";
import { LINEAGE } from "../../src/domain/lineage.js";
import { SUBJECT_TABLES } from "../../src/storage/queries/subject-end.js";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";

/** Tables outside the wall: names of tenants, the deployment's own rows. */
const OUTSIDE = ["deployment", "migration", "tenant"];

interface Column extends Readonly<Record<string, unknown>> {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

describeEachDatabase("lineage", (database) => {
  let db: TestDatabase;
  let columns: readonly Column[];

  beforeAll(async () => {
    db = await database.open();
    columns = await db.query<Column>(
      `select table_name as "table", column_name as "column",
          case when data_type = 'ARRAY' then udt_name else data_type end as type
        from information_schema.columns where table_schema = 'muniment' order by table_name, column_name`,
    );
  });

  const ofType = (table: string, ...types: string[]) =>
    columns
      .filter((column) => column.table === table && types.includes(column.type))
      .map(({ column }) => column);
  const tables = () =>
    [...new Set(columns.map(({ table }) => table))].filter((table) => !OUTSIDE.includes(table));

  it("S5-08 S4-23 every table and each column that could hold text of a person, or lead to one, has a rule", () => {
    const named = Object.entries(LINEAGE).map(([table, { bytes, words, sources }]) => ({
      table,
      bytes: [...bytes].toSorted(),
      words: [...words].toSorted(),
      sources: [...sources].toSorted(),
    }));
    const found = tables().map((table) => ({
      table,
      bytes: ofType(table, "bytea"),
      words: ofType(table, "text", "jsonb", "json", "_text", "character varying", "USER-DEFINED"),
      sources: ofType(table, "_uuid"),
    }));
    const byName = (a: { table: string }, b: { table: string }) => (a.table < b.table ? -1 : 1);
    expect(named.toSorted(byName)).toEqual(found.toSorted(byName));
  });

  it("S5-08 no column has a type that the rules don't know", () => {
    const known = ["uuid", "bigint", "integer", "boolean", "timestamp with time zone", "date"];
    const texts = ["bytea", "text", "jsonb", "_text", "_uuid"];
    const others = columns.filter(
      ({ table, type }) => !OUTSIDE.includes(table) && ![...known, ...texts].includes(type),
    );
    expect(others).toEqual([]);
  });

  it("S5-08 what a rule calls a record stays, what is nobody's has no subject, and all else goes with the subject", () => {
    for (const [table, { origin }] of Object.entries(LINEAGE)) {
      const hasSubject = columns.some((c) => c.table === table && c.column === "subject_id");
      const goes = SUBJECT_TABLES.some((name) => name === table);
      const isKept = KEPT_STORES.some((name) => name === table);
      if (origin === "nobody") expect([table, hasSubject]).toEqual([table, false]);
      else if (origin === "record" || origin === "subject")
        expect([table, goes, hasSubject === isKept]).toEqual([table, false, true]);
      else expect([table, goes, isKept]).toEqual([table, true, false]);
    }
  });
});
