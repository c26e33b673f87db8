import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";

describeEachDatabase("directory of tenants", (kind) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await kind.open();
  });

  it("S1-09 twenty that name a new tenant at once get one tenant", async () => {
    const found = await Promise.all(
      Array.from({ length: 20 }, () => database.store.directory.tenant("bank-au")),
    );
    expect(new Set(found.map(({ tenantId }) => tenantId)).size).toBe(1);
    const rows = await database.query(
      "select tenant_id from muniment.tenant where name = 'bank-au'",
    );
    expect(rows).toEqual([{ tenant_id: found[0]?.tenantId }]);
    expect(found[0]?.evidenceDays).toBe(365);
  });

  it("S2-29 a tenant whose preparation fails isn't made", async () => {
    const { directory } = database.store;
    const failed = new Error("no key could be made");
    await expect(directory.tenant("bank-sg", () => Promise.reject(failed))).rejects.toBe(failed);
    expect(
      await database.query("select tenant_id from muniment.tenant where name = 'bank-sg'"),
    ).toEqual([]);
    const prepared: string[] = [];
    const made = await directory.tenant("bank-sg", async (id) => prepared.push(id));
    expect(prepared).toEqual([made.tenantId]);
  });

  it("S1-09 a workspace's name belongs to its tenant", async () => {
    const { directory } = database.store;
    const [au, nz] = [await directory.tenant("bank-au"), await directory.tenant("bank-nz")];
    const found = await Promise.all(
      Array.from({ length: 20 }, () => directory.workspace(au.tenantId, "default")),
    );
    expect(new Set(found).size).toBe(1);
    expect(await directory.workspace(nz.tenantId, "default")).not.toBe(found[0]);
  });

  it("the custody of a database is remembered once, whoever asks first", async () => {
    const { directory } = database.store;
    expect(await directory.custody()).toBeNull();
    const stands = await Promise.all(["a", "b", "c"].map((id) => directory.rememberCustody(id)));
    expect(new Set(stands).size).toBe(1);
    expect(await directory.custody()).toBe(stands[0]);
    expect(await directory.rememberCustody("d")).toBe(stands[0]);
  });
});
