import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BackupReport, backupDatabase, restoreDatabase } from "../src/compose/backup.js";
import { type Muniment, openMuniment } from "../src/compose/muniment.js";
import type { Operations } from "../src/compose/operations.js";
import type { SettingsInput } from "../src/config/settings.js";
import type { EraseSubjectReply } from "../src/services/erase-subject.js";
import { writeBackup } from "../src/storage/backup/write-backup.js";
import { withPostgresOwner } from "../src/storage/drivers/postgres-owner.js";
import { unpackTar } from "../src/storage/drivers/unpack-tar.js";
import { migrate, readMigrations } from "../src/storage/migrate.js";
import { emptyPostgres, ensurePgliteTemplate, temporaryDirectory } from "./setup/databases.js";
import { routeBody } from "./support/muniment.js";

const SECRET = "zebrasentinel4471";

/** A database with its custody, and a way to put an empty database in its place. */
interface Place {
  readonly settings: SettingsInput;
  /** The same custody over an empty database. */
  empty(): Promise<SettingsInput>;
}

const PLACES: Readonly<Record<string, (dir: string) => Promise<Place>>> = {
  pglite: async (dir) => {
    const dataDir = join(dir, "data");
    await unpackTar(readFileSync(await ensurePgliteTemplate()), join(dataDir, "db"));
    const settings = { dataDir, masterKeyFile: join(dir, "master.key") };
    return {
      settings,
      empty: async () => {
        renameSync(join(dataDir, "db"), join(dir, "db.before"));
        return settings;
      },
    };
  },
  "postgres 18": async (dir) => {
    const custody = await fresh();
    const settings = {
      dataDir: join(dir, "data"),
      masterKeyFile: join(dir, "master.key"),
      custodyUrl: custody,
    };
    return {
      settings: { ...settings, databaseUrl: await fresh() },
      empty: async () => ({ ...settings, databaseUrl: await fresh() }),
    };
  },
};

const dropped: (() => Promise<void>)[] = [];
async function fresh(): Promise<string> {
  const { migrateUrl, drop } = await emptyPostgres();
  dropped.push(drop);
  return migrateUrl;
}
afterAll(async () => {
  for (const drop of dropped) await drop();
});

const as = (muniment: Muniment, role: string): Operations =>
  muniment.as({
    issuer: "test",
    id: role,
    kind: role === "app" ? "service" : "human",
    roles: [role],
    tenant: "bank-au",
    workspace: "default",
  });

const receiptOf = ({ decision: _, ...receipt }: EraseSubjectReply): Record<string, unknown> =>
  receipt;

const said = (text: string) => ({ turns: [{ role: "user" as const, text }] });

/** Every line of a backup that names a subject. */
function linesOf(dir: string, subject: string): readonly string[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .flatMap((name) => readFileSync(join(dir, name), "utf8").split("\n"))
    .filter((line) => line.includes(subject));
}

function subjectOf(dir: string, run: string): string {
  const rows = readFileSync(join(dir, "run.jsonl"), "utf8").trimEnd().split("\n");
  const row = rows.map((line) => JSON.parse(line)).find(({ run_id }) => run_id === run);
  return String(row?.subject_id);
}

describe.each(Object.entries(PLACES))("backup (%s)", (kind, make) => {
  let dir: string;
  let place: Place;
  let settings: SettingsInput;
  let run: string;
  let janes: string;
  let receipt: EraseSubjectReply;
  let report: BackupReport;
  const backup = () => join(dir, "backup");

  beforeAll(async () => {
    dir = await temporaryDirectory();
    place = await make(dir);
    const muniment = await openMuniment(place.settings);
    await as(muniment, "operator").putRoute("chat", routeBody());
    const app = as(muniment, "app");
    const asked = { route_id: "chat", goal: "a goal" };
    ({ run_id: run } = await app.startRun("thomas", "monday", asked));
    ({ run_id: janes } = await app.startRun("jane", "monday", asked));
    for (const id of [run, janes]) {
      await app.appendTurns(id, said(SECRET));
      await app.completeStage(id, "stage", { output: { a: [1.5, null, "ü"] }, notes: [SECRET] });
    }
    await muniment.close();
    report = await backupDatabase(place.settings, backup());
    expect(report.rows).toBeGreaterThan(10);
    const later = await openMuniment(place.settings);
    await as(later, "app").appendTurns(run, said("said after the backup"));
    receipt = await as(later, "privacy_officer").eraseSubject("jane", {});
    await later.close();
    settings = await place.empty();
  });

  it("S2-28 a backup holds neither a key nor a text in clear", () => {
    const files = readdirSync(backup()).map((name) => readFileSync(join(backup(), name), "utf8"));
    expect(files.length).toBeGreaterThan(20);
    expect(files.some((text) => text.includes("retrieve_only"))).toBe(true);
    expect(
      files.filter(
        (text) => text.includes(SECRET) || text.includes("jane") || text.includes("thomas"),
      ),
    ).toEqual([]);
    expect(files.filter((text) => text.includes("wrapped"))).toEqual([]);
  });

  it("S5-09 a backup that was cut short or changed is refused", async () => {
    const broken = join(dir, "broken");
    const tables = readdirSync(backup()).filter((name) => name.endsWith(".jsonl"));
    const full = tables.find((name) => name.startsWith("turn.")) ?? "";
    const lines = readFileSync(join(backup(), full), "utf8");
    for (const [name, content, why] of [
      ["manifest.json", null, "cut short"],
      ["manifest.json", "{", "damaged"],
      ["manifest.json", '{"format":9}', "another version"],
      [full, "", "aren't those that were written"],
      [full, lines.replace(/[0-9a-f](?=")/, "x"), "aren't those that were written"],
      [full, `${lines}{}\n`, "aren't those that were written"],
      [full, null, "can't be read"],
    ] as const) {
      rmSync(broken, { recursive: true, force: true });
      cpSync(backup(), broken, { recursive: true });
      if (content === null) rmSync(join(broken, name));
      else writeFileSync(join(broken, name), content);
      await expect(restoreDatabase(settings, broken)).rejects.toThrow(why);
    }
  });

  if (kind === "pglite") {
    it("S5-09 what was written of an embedded database goes into a server", async () => {
      const server = { dataDir: join(dir, "server"), databaseUrl: await fresh() };
      expect((await restoreDatabase(server, backup())).rows).toBe(report.rows);
      const analysed = await withPostgresOwner(server.databaseUrl, "test", (connection) =>
        connection.query(
          "select reltuples::int as n from pg_class where oid = 'muniment.turn'::regclass",
        ),
      );
      // Less than none where nothing has looked at the table yet.
      expect(analysed.rows[0]?.n).toBeGreaterThan(0);
    });
  }

  it("S5-09 whoever was erased after the backup is gone before the restored database serves, and others are as they were", async () => {
    await restoreDatabase(settings, backup(), await ensurePgliteTemplate());
    expect(linesOf(backup(), subjectOf(backup(), janes)).length).toBeGreaterThan(5);
    const restored = await openMuniment(settings);
    const officer = as(restored, "privacy_officer");
    const verified = await officer.verifyErasure(receipt.erasure_id, {
      receipt: receiptOf(receipt),
    });
    expect(verified).toMatchObject({ ok: true, signature: "valid" });
    await expect(as(restored, "app").readRun(janes)).rejects.toMatchObject({ kind: "not_found" });
    await restored.close();
    const after = join(dir, "after");
    await backupDatabase(settings, after);
    expect(linesOf(after, subjectOf(backup(), run))).toEqual(
      linesOf(backup(), subjectOf(backup(), run)),
    );
  });

  it("S5-09 what is restored opens with the custody that stayed, and goes on", async () => {
    const restored = await openMuniment(settings);
    const app = as(restored, "app");
    const texts = async () =>
      (await app.listTurns(run, { limit: 50 })).turns.map(({ text }) => text);
    expect(await texts()).toEqual([SECRET]);
    expect((await app.readRun(run)).slots).toEqual({ stage: { a: [1.5, null, "ü"] } });
    await app.appendTurns(run, said("said after the restore"));
    expect(await texts()).toEqual(["said after the restore", SECRET]);
    await restored.close();
    const occupied = { kind: "invalid_input" };
    await expect(restoreDatabase(settings, backup())).rejects.toMatchObject(occupied);
    await expect(backupDatabase(settings, backup())).rejects.toThrow("isn't empty");
  });
});

describe("backup of an older schema (postgres 18)", () => {
  it("S5-09 is restored as it was, and then brought forward", async () => {
    const clock = { now: () => new Date() };
    const dir = join(await temporaryDirectory(), "old");
    const older = readMigrations().slice(0, -1);
    const tenant = ["00000000-0000-7000-8000-000000000001", "bank-au", 30, clock.now()];
    await withPostgresOwner(await fresh(), "test", async (connection) => {
      await migrate(connection, clock, older);
      await connection.query("insert into muniment.tenant values ($1, $2, $3, $4)", tenant);
      await writeBackup(connection, { dir, at: clock.now(), muniment: "0.0.1" });
    });
    const databaseUrl = await fresh();
    await restoreDatabase({ dataDir: join(dir, "data"), databaseUrl }, dir);
    await withPostgresOwner(databaseUrl, "test", async (connection) => {
      const { rows } = await connection.query(
        "select name, (select max(number) from muniment.migration) as number from muniment.tenant",
      );
      expect(rows).toEqual([{ name: "bank-au", number: older.length + 1 }]);
    });
  });
});
