import { randomBytes } from "node:crypto";
import { cpSync, existsSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { emptyPostgres } from "../setup/databases.js";
import { putChat, startRun } from "./bank.js";
import { type Doors, describeEachPlace, type Place, queryPostgres, temporary } from "./place.js";
import { runCommand, type Service, startService, succeed } from "./service.js";

const SERVE = ["serve", "--port", "0", "--json"];
const TEXT = "sealed before the loss";

interface Turns {
  readonly turns: readonly { readonly text: string }[];
}

describeEachPlace("custody at the start", (doors) => {
  let place: Place;
  let run: string;

  beforeAll(async () => {
    place = await doors.place();
    const service = await doors.serve(place);
    await putChat(service);
    ({ run_id: run } = await startRun(service, "jane", "s"));
    const body = { turns: [{ role: "user", text: TEXT }] };
    await succeed(service.ask("POST", `/v1/runs/${run}/turns`, { body }));
    await service.end("SIGTERM");
    if (doors.name === "pglite") cpSync(own(), kept(), { recursive: true });
  });

  // What a case did to the custody is undone, as an operator would from a backup.
  afterEach(() => {
    if (doors.name !== "pglite") return;
    rmSync(own(), { recursive: true, force: true });
    cpSync(kept(), own(), { recursive: true });
  });

  const own = () => join(place.dir, "custody");
  const kept = () => `${place.dir}.custody`;
  const keyFile = () => String(place.environment.MUNIMENT_MASTER_KEY_FILE);

  async function refuses(environment: Place["environment"], why: RegExp): Promise<void> {
    const { code, output } = await runCommand(place, SERVE, environment);
    expect([code, output]).toEqual([1, expect.stringMatching(why)]);
    expect(output).not.toContain('"url"');
  }

  it("refuses where the custody is gone, and makes no new one", async () => {
    if (doors.name === "pglite") {
      renameSync(own(), `${own()}.away`);
      await refuses({}, /custody .* absent or empty/);
      expect(existsSync(join(own(), "keys.log"))).toBe(false);
      return;
    }
    const empty = await emptyPostgres();
    doors.closing(() => empty.drop());
    await refuses({ MUNIMENT_CUSTODY_URL: empty.migrateUrl }, /custody database is empty/);
    const tables = "select from information_schema.tables where table_schema = 'muniment_custody'";
    expect(await queryPostgres(empty.migrateUrl, tables)).toEqual([]);
  });

  it("refuses the custody of another deployment, though it opens with the same master key", async () => {
    const foreign = await foreignPlace(doors, keyFile());
    const other = await doors.serve(foreign);
    await putChat(other);
    await startRun(other, "jane", "s");
    await other.end("SIGTERM");
    const custody = foreign.environment.MUNIMENT_CUSTODY_URL;
    if (doors.name === "pglite") {
      rmSync(own(), { recursive: true });
      cpSync(join(foreign.dir, "custody"), own(), { recursive: true });
    }
    await refuses(
      custody === undefined ? {} : { MUNIMENT_CUSTODY_URL: custody },
      /this custody didn't seal this database/,
    );
  });

  it("S2-29 refuses a new database beside the custody of another, and says what to do", async () => {
    const left = /the database that its keys are of is not.*muniment restore/s;
    if (doors.name !== "pglite") {
      const { migrateUrl, drop } = await emptyPostgres();
      doors.closing(() => drop());
      await refuses({ MUNIMENT_DATABASE_URL: migrateUrl, MUNIMENT_MIGRATE_URL: migrateUrl }, left);
      return;
    }
    const db = join(place.dir, "db");
    renameSync(db, `${db}.away`);
    await refuses({}, left);
    // Where nothing is, a backup can be restored.
    expect(existsSync(db)).toBe(false);
    renameSync(`${db}.away`, db);
  });

  it("S2-29 refuses a custody whose keys were cut off, whether or not that looks like a crash", async () => {
    if (doors.name !== "pglite") return;
    truncateSync(join(own(), "keys.log"), 200);
    await refuses({}, /the custody lacks the key of a tenant/);
  });

  it("refuses another master key, and one that is missing, and makes none", async () => {
    const other = join(await temporary(doors.closing), "other.key");
    await refuses({ MUNIMENT_MASTER_KEY_FILE: other }, /master key file .* is missing/);
    expect(existsSync(other)).toBe(false);
    writeFileSync(other, randomBytes(32).toString("base64"), { mode: 0o600 });
    await refuses({ MUNIMENT_MASTER_KEY_FILE: other }, /master key/);
  });

  it("S3-12 starts with its own custody again, and reads what was sealed", async () => {
    const service = await doors.serve(place);
    const { turns } = await succeed<Turns>(service.ask("GET", `/v1/runs/${run}/turns`));
    expect(turns.map(({ text }) => text)).toEqual([TEXT]);
  });

  it("isn't ready while its custody is away, makes nobody then, and goes on after", async () => {
    const custody = place.environment.MUNIMENT_CUSTODY_URL;
    if (custody === undefined) return;
    const service = await doors.serve(place);
    const ready = async () => (await service.ask("GET", "/ready", { as: null })).json();
    const newcomer = () =>
      service.ask("POST", "/v1/subjects/new/sessions/s/runs", {
        body: { route_id: "chat", goal: "x" },
      });
    await queryPostgres(custody, "alter schema muniment_custody rename to away");
    const away = expect.arrayContaining([{ name: "custody", ok: false }]);
    expect(await ready()).toEqual({ ready: false, checks: away });
    expect((await newcomer()).status).toBe(503);
    await queryPostgres(custody, "alter schema away rename to muniment_custody");
    expect(await ready()).toMatchObject({ ready: true });
    expect((await newcomer()).status).toBe(201);
  });
});

/** Another deployment under the same master key. */
async function foreignPlace(doors: Doors, masterKeyFile: string): Promise<Place> {
  const place = await doors.place();
  return {
    ...place,
    environment: { ...place.environment, MUNIMENT_MASTER_KEY_FILE: masterKeyFile },
  };
}

describe("five services on one empty database (postgres 18)", () => {
  const closers: (() => unknown)[] = [];
  const services: Service[] = [];

  afterEach(async () => {
    await Promise.all(services.map((service) => service.end("SIGKILL")));
    for (const close of closers.reverse()) await close();
  });

  it("S1-09 all start healthy, and their first writes of one tenant, person and session meet", async () => {
    const [database, custody] = [await emptyPostgres(), await emptyPostgres()];
    closers.push(
      () => database.drop(),
      () => custody.drop(),
    );
    const dir = await temporary((close) => closers.push(close));
    const environment = {
      MUNIMENT_DATABASE_URL: database.migrateUrl,
      MUNIMENT_CUSTODY_URL: custody.migrateUrl,
      MUNIMENT_MASTER_KEY_FILE: join(dir, "master.key"),
    };
    const place = { dir: join(dir, "data"), environment };
    const started = await Promise.allSettled(Array.from({ length: 5 }, () => startService(place)));
    for (const it of started) if (it.status === "fulfilled") services.push(it.value);
    expect(started.map((it) => (it.status === "rejected" ? String(it.reason) : "up"))).toEqual(
      started.map(() => "up"),
    );
    for (const service of services) {
      expect((await service.ask("GET", "/ready", { as: null })).status).toBe(200);
    }
    await putChat(services[0] as Service);
    const asks = Array.from({ length: 20 }, (_, index) => services[index % 5] as Service);
    const runs = await Promise.all(asks.map((service) => startRun(service, "jane", "s")));
    expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(20);
    for (const [index, { run_id }] of runs.entries()) {
      const elsewhere = services[(index + 1) % 5] as Service;
      expect((await elsewhere.ask("GET", `/v1/runs/${run_id}`)).status).toBe(200);
    }
    const [made] = await queryPostgres(
      database.migrateUrl,
      `select (select count(*)::int from muniment.tenant) as tenants,
        (select count(*)::int from muniment.subject) as subjects,
        (select count(*)::int from muniment.session) as sessions,
        (select count(*)::int from muniment.run) as runs`,
    );
    expect(made).toEqual({ tenants: 1, subjects: 1, sessions: 1, runs: 20 });
  });
});
