import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

interface Row {
  readonly [field: string]: unknown;
  readonly audit_id: string;
}

describeEachDatabase("reading the trail", (database) => {
  let m: TestMuniment;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
    for (let row = 0; row < 4; row += 1) await m.operator().listRoutes({});
  });

  it("S1-31 the trail is append-only for the application", async () => {
    for (const text of [
      "update muniment.audit set verdict = 'allow'",
      "delete from muniment.audit",
      "truncate muniment.audit",
    ]) {
      await m.db.query("begin");
      await m.db.query("set local role muniment_app");
      await expect(m.db.query(text)).rejects.toThrow(/permission denied/);
      await m.db.query("rollback");
    }
  });

  it.each([7, 1, 200])(
    "S1-31 pages of %i show every row that there was, once, newest first",
    async (limit) => {
      const tenant = `bank-pages-${limit}`;
      const count = limit === 1 ? 12 : 250;
      await m.operator(tenant).listRoutes({});
      await m.db.query(
        `insert into muniment.audit select (jsonb_populate_record(a, jsonb_build_object('audit_id', gen_random_uuid()))).*
       from muniment.audit a join muniment.tenant t using (tenant_id), generate_series(1, $2) where t.name = $1`,
        [tenant, count],
      );
      const there = await m.db.query<{ audit_id: string }>(
        "select audit_id from muniment.audit join muniment.tenant using (tenant_id) where name = $1",
        [tenant],
      );
      const known = new Set(there.map((row) => row.audit_id));
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await m
          .operator(tenant)
          .readAudit({ limit, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...(page.rows as readonly Row[]).map((row) => row.audit_id));
        cursor = page.cursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(seen.toSorted().reverse());
      const old = seen.filter((id) => known.has(id));
      expect(old).toHaveLength(known.size);
      expect(new Set(old).size).toBe(known.size);
    },
  );

  it("S1-09 a cursor works for its own caller and list alone", async () => {
    const { cursor } = await m.operator().readAudit({ limit: 1 });
    const olga = m.operator();
    const other = m.as({ id: "otto", kind: "human", roles: ["operator"] });
    for (const call of [
      () => other.readAudit({ limit: 1, cursor }),
      () => m.operator("bank-nz").readAudit({ limit: 1, cursor }),
      () => olga.readAudit({ limit: 1, verdict: "deny", cursor }),
      () => olga.listRoutes({ cursor }),
      () => olga.readAudit({ cursor: `${cursor}x`.slice(1) }),
      () => olga.readAudit({ cursor: Buffer.from('["x","y"]').toString("base64url") }),
    ])
      await expect(call()).rejects.toMatchObject({ kind: "invalid_input", field: "cursor" });
    expect((await olga.readAudit({ limit: 2, cursor })).rows).toHaveLength(2);
  });

  it("S1-31 an operator sees the tenant's own trail and no other", async () => {
    await m.operator("bank-nz").listRoutes({});
    const { rows } = await m.operator("bank-nz").readAudit({ limit: 200 });
    const workspaces = new Set((rows as readonly Row[]).map((row) => row.workspace_id));
    expect(workspaces.size).toBe(1);
    const own = (await m.operator().readAudit({ limit: 200 })).rows as readonly Row[];
    expect(own.some((row) => workspaces.has(row.workspace_id))).toBe(false);
  });
});
