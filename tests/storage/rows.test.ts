import { beforeAll, expect, it } from "vitest";
import { trustedId } from "../../src/domain/ids.js";
import { rechecked, type Statement, sql } from "../../src/storage/sql.js";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";
import { permitFor } from "./permits.js";

const TENANT = trustedId<"TenantId">(crypto.randomUUID());
const UUID = "01a22a63-e59a-70bf-b056-40af44d7d87f";
const TIME = new Date("2026-03-01T09:30:00.123Z");
const BYTES = new Uint8Array([0, 1, 39, 92, 255]);
const TEXT = `'"\\ {},null\n😀é`;

describeEachDatabase(
  "rows",
  (kind) => {
    let database: TestDatabase;

    async function read(statement: Statement): Promise<unknown> {
      const [[row]] = await database.store.transact(permitFor({ tenant: TENANT }), (tx) =>
        tx.commit([statement]),
      );
      return (row as { readonly value: unknown }).value;
    }

    beforeAll(async () => {
      database = await kind.open();
    });

    // Each value goes in as a parameter and comes out as a column: the same on every database.
    it.each<[string, Statement, unknown]>([
      ["text", sql`select ${TEXT}::text as value`, TEXT],
      ["an empty text", sql`select ${""}::text as value`, ""],
      ["null", sql`select ${null}::text as value`, null],
      ["boolean", sql`select ${true}::boolean as value`, true],
      ["integer", sql`select ${-7}::integer as value`, -7],
      [
        "bigint as a number",
        sql`select ${Number.MAX_SAFE_INTEGER}::bigint as value`,
        Number.MAX_SAFE_INTEGER,
      ],
      ["count as a number", sql`select count(*) as value`, 1],
      ["double", sql`select ${0.25}::double precision as value`, 0.25],
      ["numeric as a string", sql`select ${"12.50"}::numeric as value`, "12.50"],
      ["uuid as a string", sql`select ${UUID}::uuid as value`, UUID],
      [
        "timestamptz as a Date, to the millisecond",
        sql`select ${TIME}::timestamptz as value`,
        TIME,
      ],
      ["bytea as a Uint8Array", sql`select ${BYTES}::bytea as value`, BYTES],
      ["a Buffer as a Uint8Array", sql`select ${Buffer.from(BYTES)}::bytea as value`, BYTES],
      ["empty bytea", sql`select ${new Uint8Array()}::bytea as value`, new Uint8Array()],
      [
        "jsonb from text",
        sql`select ${JSON.stringify({ a: [1, null, TEXT] })}::jsonb as value`,
        { a: [1, null, TEXT] },
      ],
      ["a jsonb string", sql`select ${JSON.stringify("x")}::jsonb as value`, "x"],
      [
        "text[]",
        sql`select ${[TEXT, "", "NULL", null]}::text[] as value`,
        [TEXT, "", "NULL", null],
      ],
      ["an empty text[]", sql`select ${[]}::text[] as value`, []],
      ["uuid[]", sql`select ${[UUID]}::uuid[] as value`, [UUID]],
      [
        "bigint[]",
        sql`select ${[1, null, Number.MAX_SAFE_INTEGER]}::bigint[] as value`,
        [1, null, Number.MAX_SAFE_INTEGER],
      ],
      ["integer[]", sql`select ${[1, -2]}::integer[] as value`, [1, -2]],
      [
        "bytea[]",
        sql`select ${[BYTES, null, new Uint8Array()]}::bytea[] as value`,
        [BYTES, null, new Uint8Array()],
      ],
      ["timestamptz[]", sql`select ${[TIME, null]}::timestamptz[] as value`, [TIME, null]],
      ["boolean[]", sql`select ${[true, false]}::boolean[] as value`, [true, false]],
    ])("%s is the same value on every database", async (_name, statement, value) => {
      const found = await read(statement);
      expect(found).toEqual(value);
      expect(found instanceof Uint8Array && Buffer.isBuffer(found)).toBe(false);
    });

    it.each<[string, Statement]>([
      ["undefined", sql`select ${undefined}::text as value`],
      ["an object", sql`select ${{ a: 1 }}::jsonb as value`],
      ["an array of objects", sql`select ${[{ a: 1 }]}::jsonb[] as value`],
      ["an array with a hole", sql`select ${new Array(1)}::text[] as value`],
      ["a function", sql`select ${() => 1}::text as value`],
    ])("%s as a parameter is refused before it is sent", async (_name, statement) => {
      const before = database.flushes();
      await expect(read(statement)).rejects.toMatchObject({ kind: "internal" });
      expect(database.flushes()).toBe(before);
    });

    it("a bigint beyond the safe integers is an error, never another number", async () => {
      await expect(read(sql`select 9007199254740993::bigint as value`)).rejects.toMatchObject({
        kind: "internal",
      });
      expect(await read(sql`select 1 as value`)).toBe(1);
    });

    it("S5-01 a row of another subject that a statement returns all the same is dropped with an alarm", async () => {
      const jane = trustedId<"SubjectId">(crypto.randomUUID());
      const statement = rechecked(
        { subject: true },
        sql<{ note: string }>`
          select ${TENANT}::uuid as "tenantId", v.subject::uuid as "subjectId", v.note
          from unnest(${[jane, crypto.randomUUID()]}::text[], ${["own", "foreign"]}::text[]) as v (subject, note)`,
      );
      const permit = permitFor({ tenant: TENANT, subject: jane });
      const [rows] = await database.store.transact(permit, (tx) => tx.commit([statement]));
      expect(rows.map((row) => row.note)).toEqual(["own"]);
      expect(database.alarms).toHaveLength(1);
      expect(JSON.stringify(database.alarms)).not.toContain("foreign");
    });
  },
  { oldest: true },
);
