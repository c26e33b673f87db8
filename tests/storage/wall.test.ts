import { beforeAll, expect, it } from "vitest";
import { trustedId } from "../../src/domain/ids.js";
import { type Statement, sql } from "../../src/storage/sql.js";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";
import { permitFor } from "./permits.js";
import { newOwner, type Owner, type SeededTable, seedEveryTable } from "./seed.js";

const TENANT_X = crypto.randomUUID();
const TENANT_Y = crypto.randomUUID();
const UNKNOWN = crypto.randomUUID();

/** A statement without the tag: names of tables can't be parameters. */
function plain(text: string, values: readonly unknown[] = []): Statement<Record<string, unknown>> {
  return { text, values, name: `t${text.length}_${crypto.randomUUID().slice(0, 8)}` };
}

function scopeOf(tenant: string, subject?: string) {
  return {
    tenant: trustedId<"TenantId">(tenant),
    ...(subject === undefined ? {} : { subject: trustedId<"SubjectId">(subject) }),
  };
}

describeEachDatabase(
  "wall",
  (kind) => {
    let database: TestDatabase;
    let tables: readonly SeededTable[] = [];
    const jane: Owner = newOwner(TENANT_X);
    const tom: Owner = newOwner(TENANT_X);
    const foreign: Owner = newOwner(TENANT_Y);

    async function visible(
      table: SeededTable,
      tenant: string,
      subject?: string,
    ): Promise<readonly Record<string, unknown>[]> {
      const permit = permitFor(scopeOf(tenant, subject));
      const [rows] = await database.store.transact(permit, (tx) =>
        tx.send([plain(`select * from muniment.${table.name}`)]),
      );
      return rows;
    }

    beforeAll(async () => {
      database = await kind.open();
      tables = await seedEveryTable(database, [jane, tom, foreign]);
    });

    it("S1-09 every table is inside the wall and holds rows of both tenants, so that an empty answer means something", async () => {
      expect(tables.length).toBeGreaterThan(10);
      for (const { name, isSingle } of tables) {
        const [row] = await database.query(`select count(*)::int as n from muniment.${name}`);
        expect([name, row?.n]).toEqual([name, isSingle ? 2 : 3]);
      }
    });

    it("S1-09 a transaction without a scope sees no row of any table", async () => {
      for (const scope of [
        "",
        `select muniment.set_scope(null, null, 'none')`,
        `select muniment.set_scope(null, null, 'tenant')`,
      ]) {
        for (const { name } of tables) {
          await database.query("begin");
          await database.query("set local role muniment_app");
          if (scope !== "") await database.query(scope);
          const rows = await database.query(`select 1 from muniment.${name}`);
          await database.query("rollback");
          expect([name, rows.length]).toEqual([name, 0]);
        }
      }
    });

    it("S1-09 a tenant's widest scope sees its own rows alone, whatever the statement asks", async () => {
      for (const table of tables) {
        const rows = await visible(table, TENANT_X);
        expect([table.name, rows.map((row) => row.tenant_id)]).toEqual([
          table.name,
          table.isSingle ? [TENANT_X] : [TENANT_X, TENANT_X],
        ]);
        expect([table.name, (await visible(table, UNKNOWN)).length]).toEqual([table.name, 0]);
      }
    });

    it("S1-09 a subject's scope sees that subject's rows alone in every personal table", async () => {
      for (const table of tables.filter(({ isPersonal }) => isPersonal)) {
        const rows = await visible(table, TENANT_X, jane.subject);
        expect([table.name, rows.map((row) => row.subject_id)]).toEqual([
          table.name,
          [jane.subject],
        ]);
        // The subject of one tenant under the name of another.
        expect([table.name, (await visible(table, TENANT_Y, jane.subject)).length]).toEqual([
          table.name,
          0,
        ]);
      }
    });

    it("S5-02 a row can't be written for another tenant or another subject", async () => {
      for (const { name, columns, isPersonal } of tables) {
        const copy = (tenant: string, subject: string): Statement<Record<string, unknown>> => {
          const taken = columns.map((column) =>
            column === "tenant_id" ? "$1::uuid" : column === "subject_id" ? "$2::uuid" : column,
          );
          const used = isPersonal ? "" : " and $2::uuid is not null";
          return plain(
            `insert into muniment.${name} (${columns.join(", ")}) select ${taken.join(", ")} from muniment.${name} where true${used} limit 1`,
            [tenant, subject],
          );
        };
        const write = (statement: Statement<Record<string, unknown>>): Promise<unknown> =>
          database.store
            .transact(permitFor(scopeOf(TENANT_X, jane.subject)), (tx) => tx.send([statement]))
            .catch((error: { cause?: Error }) => error.cause?.message ?? error);
        expect([name, await write(copy(TENANT_Y, jane.subject))]).toEqual([
          name,
          expect.stringContaining("violates row-level security policy"),
        ]);
        if (isPersonal) {
          expect([name, await write(copy(TENANT_X, tom.subject))]).toEqual([
            name,
            expect.stringContaining("violates row-level security policy"),
          ]);
        }
      }
    });

    it("S5-02 a row can't be moved to another tenant or changed in one", async () => {
      const move = (statement: Statement): Promise<unknown> =>
        database.store
          .transact(permitFor(scopeOf(TENANT_X, jane.subject)), (tx) => tx.send([statement]))
          .catch((error: { cause?: Error }) => error.cause?.message);
      expect(await move(sql`update muniment.checkpoint set tenant_id = ${TENANT_Y}`)).toContain(
        "row-level security",
      );
      expect(
        await move(
          sql`update muniment.checkpoint set step = 7 where tenant_id = ${TENANT_Y} returning step`,
        ),
      ).toEqual([[]]);
      expect(
        await move(
          sql`delete from muniment.checkpoint where subject_id = ${tom.subject} returning step`,
        ),
      ).toEqual([[]]);
    });

    it("S5-02 the application role owns nothing and can't pass the wall by", async () => {
      const refused = [
        "truncate muniment.turn",
        "alter table muniment.turn disable row level security",
        "drop policy tenant_wall on muniment.turn",
        "create table muniment.mine (tenant_id uuid)",
        "update muniment.audit set operation = 'x'",
        "delete from muniment.audit",
        "delete from muniment.migration",
        "update muniment.deployment set custody_id = 'x'",
        "update muniment.tenant set name = 'x'",
      ];
      for (const text of refused) {
        const failure = await database.store
          .transact(permitFor(scopeOf(TENANT_X)), (tx) => tx.send([plain(text)]))
          .catch((error: { cause?: Error }) => error.cause?.message);
        expect([text, failure]).toEqual([
          text,
          expect.stringMatching(/permission denied|must be owner/),
        ]);
      }
    });

    it("S1-09 one transaction's scope never reaches the next one on the same connection", async () => {
      const table = tables.find(({ name }) => name === "turn");
      if (table === undefined) throw new Error("no turns");
      await visible(table, TENANT_X);
      const [row] = await database.query(
        "select current_setting('muniment.scope', true) as scope, current_user::text as login",
      );
      expect(row?.scope ?? "").toBe("");
      expect(row?.login).toBe("postgres");
      expect((await visible(table, UNKNOWN)).length).toBe(0);
    });
  },
  { oldest: true },
);
