import { beforeAll, describe, expect, it } from "vitest";
import { trustedId } from "../../src/domain/ids.js";
import { sql } from "../../src/storage/sql.js";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";
import { permitFor } from "./permits.js";

const permit = () => permitFor({ tenant: trustedId<"TenantId">(crypto.randomUUID()) });
const divide = (by: number) => sql<{ part: number }>`select 12 / ${by}::integer as part`;

describeEachDatabase("prepared statements", (kind) => {
  describe("on one connection", () => {
    let database: TestDatabase;

    beforeAll(async () => {
      database = await kind.open({ poolMax: 1 });
    });

    const run = async (...by: readonly number[]): Promise<readonly unknown[]> => {
      const rows = await database.store.transact(permit(), (tx) => tx.commit(by.map(divide)));
      return rows.flat();
    };

    it("a statement whose first use failed is used again, and again", async () => {
      await expect(run(0)).rejects.toMatchObject({ kind: "internal" });
      await expect(run(0)).rejects.toMatchObject({ kind: "internal" });
      expect(await run(4)).toEqual([{ part: 3 }]);
      expect(await run(3)).toEqual([{ part: 4 }]);
    });

    it("one statement many times in one flush answers each time with its own values", async () => {
      expect(await run(1, 2, 3, 12)).toEqual([{ part: 12 }, { part: 6 }, { part: 4 }, { part: 1 }]);
    });

    it("a statement that never was prepared, because one before it failed, is prepared later", async () => {
      const late = sql<{ late: number }>`select ${7}::integer as late`;
      const first = database.store.transact(permit(), (tx) => tx.commit([divide(0), late]));
      await expect(first).rejects.toMatchObject({ kind: "internal" });
      const [[row]] = await database.store.transact(permit(), (tx) => tx.commit([late]));
      expect(row).toEqual({ late: 7 });
    });
  });
});
