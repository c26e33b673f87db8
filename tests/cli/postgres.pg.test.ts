import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLoginRole } from "../../src/storage/drivers/postgres-roles.js";
import { emptyPostgres, type FreshPostgres, temporaryDirectory } from "../setup/databases.js";
import { jsonLines, MunimentProcess } from "./muniment-process.js";

const LOGIN = "muniment_login";

describe("on a PostgreSQL server", () => {
  let database: FreshPostgres;
  let muniment: MunimentProcess;

  beforeAll(async () => {
    const home = await temporaryDirectory();
    database = await emptyPostgres();
    muniment = new MunimentProcess(home, {
      MUNIMENT_DATA_DIR: join(home, "data"),
      MUNIMENT_DATABASE_URL: database.url,
      MUNIMENT_MIGRATE_URL: database.migrateUrl,
    });
  });

  afterAll(() => database.drop());

  interface Diagnosis {
    readonly ok: boolean;
    readonly checks: readonly {
      readonly name: string;
      readonly ok: boolean;
      readonly detail: string;
    }[];
    readonly warnings: readonly string[];
  }

  const doctor = async (): Promise<{ readonly code: number; readonly found: Diagnosis }> => {
    const { code, stdout } = await muniment.run("doctor", "--json");
    return { code, found: JSON.parse(stdout) };
  };

  it("doctor says that migrations are missing, and applies none", async () => {
    await ensureLogin(database.migrateUrl);
    const { code, found } = await doctor();
    expect(code).toBe(1);
    const { ok, detail } = found.checks.find(({ name }) => name === "migrations") ?? {};
    expect({ ok, detail }).toEqual({
      ok: false,
      detail: expect.stringMatching(/lacks migration 0001-wall\.sql: .* \(and \d+ more\)/),
    });
    const { found: again } = await doctor();
    expect(again.checks.find(({ name }) => name === "migrations")).toMatchObject({ ok: false });
  });

  it("upgrade applies each migration once, and names it", async () => {
    const first = JSON.parse((await muniment.run("upgrade", "--json")).stdout);
    expect(first.applied[0]).toBe("0001-wall.sql");
    const second = JSON.parse((await muniment.run("upgrade", "--json")).stdout);
    expect(second.applied).toEqual([]);
  });

  it.each([
    ["update muniment.migration set sha256 = 'x' where number = 2", "was changed after"],
    ["delete from muniment.migration where number = 2", "but has a later one"],
    ["update muniment.migration set number = 9000 where number = 2", "by a newer version"],
  ])("doctor says of migrations what serve refuses them for: %s", async (change, said) => {
    const client = new pg.Client({ connectionString: database.migrateUrl });
    await client.connect();
    try {
      await client.query("create temporary table kept as table muniment.migration");
      await client.query(change);
      const { found } = await doctor();
      const { detail = "" } = found.checks.find(({ name }) => name === "migrations") ?? {};
      expect(detail).toContain(said);
      await client.query("delete from muniment.migration");
      await client.query("insert into muniment.migration table kept");
    } finally {
      await client.end();
    }
  });

  it("the story holds there too, and doctor finds everything sound", async () => {
    const { code, stdout, stderr } = await muniment.run("demo", "--json");
    expect(jsonLines(stdout).filter(({ ok }) => ok !== true)).toEqual([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { found } = await doctor();
    expect(found.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(found.warnings.join("\n")).toContain("MUNIMENT_CUSTODY_URL");
  });

  it("a server that nobody reaches is said in one line, without its URL", async () => {
    const url = "postgres://somebody:sentinel-pw@127.0.0.1:1/none";
    const home = await temporaryDirectory();
    const lost = new MunimentProcess(home, { MUNIMENT_DATABASE_URL: url });
    const { code, stderr } = await lost.run("route", "list", "--tenant", "t");
    expect(code).toBe(1);
    expect(stderr).toContain("error: PostgreSQL at 127.0.0.1:1: nothing listens there");
    expect(stderr).toContain("next: check MUNIMENT_DATABASE_URL");
    expect(stderr).not.toContain("sentinel-pw");
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});

/** The login of the service; other suites on the same server may have made it. */
async function ensureLogin(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const app = await client.query("select from pg_roles where rolname = 'muniment_app'");
  if (app.rowCount === 0) await client.query("create role muniment_app nologin noinherit");
  const found = await client.query("select from pg_roles where rolname = $1", [LOGIN]);
  if (found.rowCount === 0) await createLoginRole(client, LOGIN);
  await client.end();
}
