import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TenantId, trustedId } from "../../src/domain/ids.js";
import { createPooledStore } from "../../src/storage/drivers/pooled-store.js";
import { openPostgres } from "../../src/storage/drivers/postgres.js";
import {
  loginRoleStatements,
  readLoginWarnings,
} from "../../src/storage/drivers/postgres-roles.js";
import { type Statement, sql } from "../../src/storage/sql.js";
import type { Store } from "../../src/storage/store.js";
import { emptyPostgres, type FreshPostgres, freshPostgres } from "../setup/databases.js";
import { type LoopbackProxy, startProxy } from "./loopback-proxy.js";
import { permitFor } from "./permits.js";

const OPTIONS = { clock: { now: () => new Date() }, onAlarm: () => undefined };
const TENANT = trustedId<"TenantId">(crypto.randomUUID());
const NOW = new Date("2026-03-01T09:30:00Z");

const insertWorkspace = (tenant: TenantId, name: string): Statement => sql`
  insert into muniment.workspace (tenant_id, workspace_id, name, created_at)
  values (${tenant}, ${crypto.randomUUID()}, ${name}, ${NOW})`;

const listNames = (tenant: TenantId): Statement<{ name: string }> =>
  sql<{
    name: string;
  }>`select name from muniment.workspace where tenant_id = ${tenant} order by name`;

describe("connections (postgres 18)", () => {
  let database: FreshPostgres;
  let proxy: LoopbackProxy;
  let store: Store;

  const permit = () => permitFor({ tenant: TENANT });

  beforeAll(async () => {
    database = await freshPostgres();
    proxy = await startProxy(database.url);
    store = openPostgres({ ...OPTIONS, url: proxy.url, poolMax: 1 });
  });

  afterAll(async () => {
    await store.close();
    await proxy.close();
    await database.drop();
  });

  it("rows are opened while the server still works on what stands behind them", async () => {
    const other = new pg.Client({ connectionString: database.migrateUrl });
    await other.connect();
    try {
      await other.query("select pg_advisory_lock(7)");
      let released: Promise<unknown> | undefined;
      // The commit waits for a lock that is given back when the rows are opened: it would wait for ever, were they told with it.
      await store.transact(permit(), (tx) =>
        tx.commitOpening([listNames(TENANT)], [sql`select from pg_advisory_xact_lock(7)`], () => {
          released = other.query("select pg_advisory_unlock(7)");
        }),
      );
      await released;
    } finally {
      await other.end();
    }
  });

  it.each([
    ["a commit", 0, 1],
    ["a send and a commit", 1, 2],
    ["two sends and a commit", 2, 3],
  ])(
    "%s costs that many round trips on the wire, scope and audit included",
    async (_name, sends, trips) => {
      const run = () =>
        store.transact(permit(), async (tx) => {
          for (let sent = 0; sent < sends; sent += 1)
            await tx.send([listNames(TENANT), listNames(TENANT)]);
          await tx.commit([listNames(TENANT), listNames(TENANT), listNames(TENANT)]);
        });
      await run();
      const before = proxy.roundTrips();
      await run();
      expect(proxy.roundTrips() - before).toBe(trips);
    },
  );

  it("a connection that breaks in mid-flight is unavailable, leaves nothing, and is replaced", async () => {
    const used = store.transact(permit(), async (tx) => {
      await tx.send([insertWorkspace(TENANT, "broken")]);
      proxy.breakAll();
      await tx.commit([listNames(TENANT)]);
    });
    await expect(used).rejects.toMatchObject({ kind: "unavailable" });
    const [rows] = await store.transact(permit(), (tx) => tx.commit([listNames(TENANT)]));
    expect(rows).toEqual([]);
  });

  it("a connection that breaks while idle is replaced", async () => {
    await store.transact(permit(), (tx) => tx.commit([listNames(TENANT)]));
    proxy.breakAll();
    await new Promise((resolve) => setImmediate(resolve));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 3 }, () =>
        store.transact(permit(), (tx) => tx.commit([listNames(TENANT)])),
      ),
    );
    expect(outcomes.at(-1)?.status).toBe("fulfilled");
  });

  it("a backend that an operator terminates is unavailable, and replaced", async () => {
    const operator = new pg.Client({ connectionString: database.migrateUrl });
    await operator.connect();
    const used = store.transact(permit(), async (tx) => {
      const [[row]] = await tx.send([sql<{ pid: number }>`select pg_backend_pid() as pid`]);
      await operator.query("select pg_terminate_backend($1, 5000)", [row?.pid]);
      await tx.commit([insertWorkspace(TENANT, "terminated")]);
    });
    await expect(used).rejects.toMatchObject({ kind: "unavailable" });
    await operator.end();
    const [rows] = await store.transact(permit(), (tx) => tx.commit([listNames(TENANT)]));
    expect(rows).toEqual([]);
  });

  it("S1-09 while connections break at random, nobody gets another's rows and no half transaction is left", async () => {
    const shared = openPostgres({ ...OPTIONS, url: proxy.url, poolMax: 4 });
    const tenants = Array.from({ length: 4 }, () => trustedId<"TenantId">(crypto.randomUUID()));
    const acknowledged = new Map<TenantId, string[]>(tenants.map((tenant) => [tenant, []]));
    const write = async (tenant: TenantId, turn: number): Promise<void> => {
      const [first, second] = [`a_${turn}`, `b_${turn}`];
      try {
        const [, rows] = await shared.transact(permitFor({ tenant }), async (tx) => {
          await tx.send([insertWorkspace(tenant, first)]);
          return tx.commit([
            insertWorkspace(tenant, second),
            sql<{ tenant: string }>`select tenant_id as tenant from muniment.workspace`,
          ]);
        });
        expect(new Set(rows.map((row) => row.tenant))).toEqual(new Set([tenant]));
        acknowledged.get(tenant)?.push(first, second);
      } catch (error) {
        expect(error).toMatchObject({ kind: "unavailable" });
      }
    };
    for (let turn = 0; turn < 40; turn += 1) {
      const writes = tenants.map((tenant) => write(tenant, turn));
      if (turn % 3 === 0) setImmediate(proxy.breakAll);
      if (turn % 5 === 0) proxy.breakAll();
      await Promise.all(writes);
    }
    const direct = openPostgres({ ...OPTIONS, url: database.url });
    for (const tenant of tenants) {
      const [rows] = await direct.transact(permitFor({ tenant }), (tx) =>
        tx.commit([listNames(tenant)]),
      );
      const names = rows.map((row) => row.name);
      expect(names).toEqual(expect.arrayContaining(acknowledged.get(tenant) ?? []));
      const turns = (side: string) =>
        names.filter((name) => name.startsWith(side)).map((name) => name.slice(2));
      expect(turns("a_")).toEqual(turns("b_"));
      expect(names.length).toBeGreaterThan(0);
    }
    await shared.close();
    await direct.close();
  });

  it("a statement that runs too long is stopped by the server and unavailable", async () => {
    const impatient = openPostgres({
      ...OPTIONS,
      url: `${database.url}?statement_timeout=50`,
      poolMax: 1,
    });
    const used = impatient.transact(permit(), (tx) => tx.commit([sql`select pg_sleep(30)`]));
    await expect(used).rejects.toMatchObject({ kind: "unavailable" });
    await impatient.transact(permit(), (tx) => tx.commit([listNames(TENANT)]));
    await impatient.close();
  });

  it("a transaction inside another one on a pool of one is unavailable, not stuck", async () => {
    const used = store.transact(permit(), async (tx) => {
      await tx.send([listNames(TENANT)]);
      await store.transact(permit(), (inner) => inner.commit([listNames(TENANT)]));
    });
    await expect(used).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("a server that isn't there is unavailable", async () => {
    const nowhere = openPostgres({ ...OPTIONS, url: "postgres://nobody@127.0.0.1:1/none" });
    const used = nowhere.transact(permit(), (tx) => tx.commit([listNames(TENANT)]));
    await expect(used).rejects.toMatchObject({ kind: "unavailable" });
    await expect(nowhere.directory.custody()).rejects.toMatchObject({ kind: "unavailable" });
    await nowhere.close();
  });

  it("a commit that the server answers with ROLLBACK is a failure, whatever the statements said", async () => {
    // Stands for the client: it answers each statement of the batch, the commit with ROLLBACK.
    const client = {
      connection: { stream: { destroy: () => undefined } },
      query: (batch: {
        handleCommandComplete(tag: { text: string }): void;
        handleReadyForQuery(): void;
      }) => {
        for (const text of ["BEGIN", "SELECT 1", "SELECT 0", "ROLLBACK"])
          batch.handleCommandComplete({ text });
        batch.handleReadyForQuery();
      },
      on: () => client,
      off: () => client,
      getTransactionStatus: () => "I",
      release: () => undefined,
    };
    const pool = { on: () => undefined, waitingCount: 0, connect: async () => client };
    const odd = createPooledStore(pool as unknown as pg.Pool, OPTIONS, {
      tend: async () => undefined,
      close: async () => undefined,
    });
    const used = odd.transact(permit(), (tx) => tx.commit([listNames(TENANT)]));
    await expect(used).rejects.toThrow("rolled back at its commit");
  });
});

describe("login of the service (postgres 18)", () => {
  it("on a database that nobody migrated the self-check says so", async () => {
    const database = await emptyPostgres();
    const store = openPostgres({ ...OPTIONS, url: database.migrateUrl });
    expect(await store.selfCheck()).toEqual([
      "the database has no muniment schema: bring it forward with muniment upgrade",
    ]);
    await store.close();
    await database.drop();
  });

  it("S5-02 outside a scoped transaction it reaches no table, and the check has nothing to warn of", async () => {
    const database = await freshPostgres();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await expect(client.query("select 1 from muniment.turn")).rejects.toThrow("permission denied");
    await expect(
      client.query("insert into muniment.tenant values (gen_random_uuid(), 'x', 1, now())"),
    ).rejects.toThrow("permission denied");
    expect(await readLoginWarnings(database.url)).toEqual([]);
    expect((await readLoginWarnings(database.migrateUrl)).join()).toContain("owns tables");
    await client.end();
    await database.drop();
  });

  it("S5-02 a login outside of the application role is told how it comes in", async () => {
    const database = await freshPostgres();
    const owner = new pg.Client({ connectionString: database.migrateUrl });
    await owner.connect();
    await owner.query("drop role if exists stranger");
    await owner.query("create role stranger login");
    const url = Object.assign(new URL(database.url), { username: "stranger" }).href;
    const store = openPostgres({ ...OPTIONS, url });
    await expect(store.directory.custody()).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("grant muniment_app to LOGIN"),
    });
    await store.close();
    await owner.query("drop role stranger");
    await owner.end();
    await database.drop();
  });

  it("its name and its password can't break out of the statement", () => {
    expect(loginRoleStatements("app", "it's")).toEqual([
      "create role app login noinherit password 'it''s' in role muniment_app, muniment_worker",
    ]);
    expect(() => loginRoleStatements("app; drop", null)).toThrow("role name");
  });
});
