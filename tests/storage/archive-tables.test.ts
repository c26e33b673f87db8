import { beforeAll, describe, expect, it } from "vitest";
import { SUBJECT_TABLES } from "../../src/storage/archive/tables.js";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";

/** Tables with rows of a subject that no archive holds; why is said in each manifest, but for the two that it begins with. */
const LEFT_OUT = [
  "audit",
  "erasure",
  "external_id",
  "idempotency",
  "pack",
  "segment",
  "subject",
  "vector",
  "view",
  "work",
];

describeEachDatabase("archived tables", (kind) => {
  let database: TestDatabase;
  let columns: readonly { readonly table: string; readonly column: string }[];

  beforeAll(async () => {
    database = await kind.open();
    columns = await database.query(
      `select table_name as table, column_name as column from information_schema.columns
       where table_schema = 'muniment' order by table_name, column_name`,
    );
  });

  describe.each(SUBJECT_TABLES.map((table) => [table.table, table] as const))("%s", (_, table) => {
    it("S5-14 every column travels or is made again: a new one can't be forgotten", () => {
      const own = columns.filter((it) => it.table === table.table).map(({ column }) => column);
      const described = [...table.columns.map(({ name }) => name), "tenant_id", "subject_id"];
      expect(described.toSorted()).toEqual(own.toSorted());
    });
  });

  it("S5-14 every table with rows of a subject travels, or is left out by name", () => {
    const tables = columns.filter(({ column }) => column === "subject_id").map((it) => it.table);
    const known = [...LEFT_OUT, ...SUBJECT_TABLES.map(({ table }) => table)];
    expect(tables.filter((table) => !known.includes(table))).toEqual([]);
  });
});
