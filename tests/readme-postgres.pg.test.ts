import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMuniment } from "../src/compose/muniment.js";
import { migratePostgres } from "../src/storage/drivers/postgres-migrate.js";
import { temporaryDirectory } from "./setup/databases.js";
import { type EmbeddedPostgres, startPostgres } from "./setup/embedded-postgres.js";
import { routeBody } from "./support/muniment.js";

const README = readFileSync(new URL("../README.md", import.meta.url), "utf8");

describe("a PostgreSQL server that was set up as the README says (postgres 18)", () => {
  let server: EmbeddedPostgres;

  beforeAll(async () => {
    server = await startPostgres({ major: 18 });
  });
  afterAll(() => server.stop());

  it("S5-02 is migrated by its owner, served by a login without rights, and works on its jobs", async () => {
    const block = /```sql\n([\s\S]*?)```/.exec(README)?.[1] ?? "";
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    for (const line of block.split("\n")) {
      const statement = line.replace(/\s*--.*/, "").replace("'...'", "'pw'");
      if (statement !== "") await admin.query(statement);
    }
    await admin.end();
    const urlOf = (login: string, database: string) =>
      Object.assign(new URL(server.url), {
        username: login,
        password: "pw",
        pathname: `/${database}`,
      }).href;
    await migratePostgres(urlOf("muniment_owner", "muniment"), { now: () => new Date() });
    const dir = await temporaryDirectory();
    const muniment = await openMuniment({
      dataDir: join(dir, "data"),
      masterKeyFile: join(dir, "master.key"),
      databaseUrl: urlOf("muniment_service", "muniment"),
      custodyUrl: urlOf("muniment_custody", "muniment_custody"),
    });
    const bank = { issuer: "bank", tenant: "bank", workspace: "default", kind: "service" } as const;
    const operator = muniment.as({ ...bank, id: "ops", roles: ["operator"] });
    const app = muniment.as({ ...bank, id: "app", roles: ["app"] });
    await operator.putRoute("chat", routeBody());
    const { run_id: run } = await app.startRun("jane", "s", { route_id: "chat", goal: "Help" });
    await app.appendTurns(run, { turns: [{ role: "user", text: "Which fee is it?" }] });
    await app.closeSession("jane", "s", {});
    expect(await muniment.jobs.run()).toMatchObject({ done: 2, parked: 0 });
    await muniment.close();
  });
});
