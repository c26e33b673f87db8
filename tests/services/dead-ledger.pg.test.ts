import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { type Muniment, openMuniment } from "../../src/compose/muniment.js";
import type { Operations } from "../../src/compose/operations.js";
import { emptyPostgres, freshPostgres, temporaryDirectory } from "../setup/databases.js";
import { refusalOf, routeBody } from "../support/muniment.js";

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

async function onServer(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject("postgresUrl") });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const as = (muniment: Muniment, role: string): Operations =>
  muniment.as({
    issuer: "test",
    id: role,
    kind: role === "app" ? "service" : "human",
    roles: [role],
    tenant: "bank-au",
    workspace: "default",
  });

describe("a ledger that doesn't answer (postgres 18)", () => {
  it("S5-08 stops an erasure before anything of the database changes, and the same request does it later", async () => {
    const [database, custody] = [await freshPostgres(), await emptyPostgres()];
    closing.push(database.drop, custody.drop);
    const dir = await temporaryDirectory();
    const muniment = await openMuniment({
      dataDir: dir,
      databaseUrl: database.migrateUrl,
      custodyUrl: custody.migrateUrl,
      masterKeyFile: join(dir, "master.key"),
    });
    closing.push(() => muniment.close());
    const [app, officer] = [as(muniment, "app"), as(muniment, "privacy_officer")];
    await as(muniment, "operator").putRoute("chat", routeBody());
    const { run_id } = await app.startRun("jane", "monday", { route_id: "chat", goal: "x" });
    const turn = { role: "user" as const, text: "still here" };
    await app.appendTurns(run_id, { turns: [turn] });

    const name = new URL(custody.migrateUrl).pathname.slice(1);
    await onServer(
      `alter database ${name} with allow_connections false`,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
    );
    expect(await refusalOf(officer.eraseSubject("jane", {}))).toBe("unavailable");
    expect((await app.listTurns(run_id, { limit: 5 })).turns).toMatchObject([turn]);

    await onServer(`alter database ${name} with allow_connections true`);
    const { stores } = await officer.eraseSubject("jane", {});
    expect(stores.filter(({ found }) => found > 0)).toEqual([]);
    expect(await refusalOf(app.readRun(run_id))).toBe("not_found");
  });
});
