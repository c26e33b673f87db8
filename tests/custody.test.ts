import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  backupCustody,
  custodyHeads,
  restoreCustody,
  rotateMasterKey,
  verifyCustody,
} from "../src/compose/custody.js";
import { refuseOlderCustody } from "../src/compose/ledger-head.js";
import { readSettings, type SettingsInput } from "../src/config/settings.js";
import { backupLines, parseBackup } from "../src/custody/custody-backup.js";
import { keyId, PLACE, subjectId, tenantId } from "../src/custody/drivers/conformance.js";
import { openFileCustody } from "../src/custody/drivers/file.js";
import { ledgerLine } from "../src/custody/drivers/ledger-conformance.js";
import { openPostgresCustody } from "../src/custody/drivers/postgres.js";
import { MasterKey } from "../src/custody/master-key.js";
import { loadMasterOf } from "../src/custody/master-key-source.js";
import type { Clock } from "../src/domain/clock.js";
import type { Keyring } from "../src/domain/keyring.js";
import { emptyPostgres, temporaryDirectory } from "./setup/databases.js";

const T = tenantId(1);
const NAME = [T, subjectId(1), keyId(1)] as const;
const clock: Clock = { now: () => new Date() };

/** A custody, and the same place emptied. */
interface Place {
  readonly settings: SettingsInput;
  open(): Promise<Keyring>;
  empty(): Promise<Place>;
}

function embedded(dir: string, name: string): Place {
  const settings = { dataDir: join(dir, name), masterKeyFile: join(dir, "master.key") };
  return {
    settings,
    open: () =>
      openFileCustody({
        dir: join(settings.dataDir, "custody"),
        masterKey: { file: settings.masterKeyFile },
        clock,
        expect: "new-or-existing",
      }),
    empty: async () => embedded(dir, `${name}-restored`),
  };
}

const dropped: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const drop of dropped) await drop();
});

async function onServer(dir: string): Promise<Place> {
  const { migrateUrl: url, drop } = await emptyPostgres();
  dropped.push(drop);
  const file = join(dir, "master.key");
  return {
    settings: { dataDir: dir, databaseUrl: url, custodyUrl: url, masterKeyFile: file },
    open: () => openPostgresCustody({ url, masterKey: { file }, clock, expect: "new-or-existing" }),
    empty: () => onServer(dir),
  };
}

const PLACES = {
  pglite: async (dir: string) => embedded(dir, "data"),
  "postgres 18": onServer,
};

describe.each(Object.entries(PLACES))("custody (%s)", (_, make) => {
  let dir: string;
  let place: Place;
  let sealed: Uint8Array;
  const file = (name: string) => join(dir, name);

  beforeAll(async () => {
    dir = await temporaryDirectory();
    place = await make(dir);
    const keyring = await place.open();
    sealed = (await keyring.createSubjectKey(...NAME)).seal(PLACE, "kept");
    await keyring.ledger.append(T, [1, 2].map(ledgerLine));
    await keyring.close();
    await backupCustody(place.settings, file("custody.backup"));
    const later = await place.open();
    await later.ledger.append(T, [ledgerLine(3)]);
    await later.close();
    writeFileSync(file("head.json"), JSON.stringify(await custodyHeads(place.settings)));
  });

  it("S5-09 a custody restored from before an exported head is refused, and says of which tenant", async () => {
    const head = file("head.json");
    expect(await verifyCustody(place.settings, head)).toEqual({ ok: true, findings: [] });
    const older = await place.empty();
    await restoreCustody(older.settings, file("custody.backup"), { acceptAge: false });
    const finding = "its ledger ends at line 2, and had 3";
    expect(await verifyCustody(older.settings, head)).toEqual({
      ok: false,
      findings: [{ tenant_id: T, finding }],
    });
    const keyring = await older.open();
    expect((await keyring.subjectKey(...NAME))?.open(PLACE, sealed)).toBe("kept");
    const settings = readSettings({ ...older.settings, ledgerHeadFile: head }, {});
    await expect(refuseOlderCustody(keyring, settings)).rejects.toThrow(
      `of tenant ${T}, ${finding}; bring back the latest custody`,
    );
    // Another third line doesn't make it the same ledger.
    await keyring.ledger.append(T, [{ ...ledgerLine(3), step: "closed" }]);
    await expect(refuseOlderCustody(keyring, settings)).rejects.toThrow(
      "isn't the one that it was",
    );
    await keyring.close();
  });

  it("S5-09 an exported head that was changed, or is another custody's, is refused", async () => {
    const head = JSON.parse(readFileSync(file("head.json"), "utf8"));
    const [tenant] = head.tenants;
    const verified = async (value: unknown) => {
      writeFileSync(file("changed.json"), JSON.stringify(value));
      return verifyCustody(place.settings, file("changed.json"));
    };
    expect(await verified({ ...head, taken_at: "2030-01-01T00:00:00.000Z" })).toMatchObject({
      findings: [{ finding: "its signature isn't this custody's" }],
    });
    expect(await verified({ ...head, tenants: [{ ...tenant, seq: 1 }] })).toMatchObject({
      ok: false,
    });
    await expect(verified({ ...head, custody_id: T })).rejects.toThrow("another custody's");
    await expect(verified({ ...head, more: 1 })).rejects.toThrow("isn't a ledger head");
  });

  it("S5-08 a custody backup beyond its maximum age is refused unless its age is accepted", async () => {
    const { settings } = await place.empty();
    rmSync(join(dir, "data-restored"), { recursive: true, force: true });
    const { content } = parseBackup(readFileSync(file("custody.backup")), "it");
    const source = { file: file("master.key") };
    const master = await loadMasterOf(source, content.custodyId, content.check);
    const old = file("old.backup");
    const takenAt = new Date(Date.now() - 8 * 86_400_000);
    writeFileSync(old, [...backupLines(content, takenAt, master)].join(""));
    await expect(restoreCustody(settings, old, { acceptAge: false })).rejects.toThrow(
      "is 8 days old, and keys that were destroyed since would come back",
    );
    const patient = { ...settings, custodyBackupDays: 9 };
    expect(await restoreCustody(patient, old, { acceptAge: false })).toMatchObject({ keys: 2 });
    const again = (await place.empty()).settings;
    rmSync(join(dir, "data-restored"), { recursive: true, force: true });
    expect(await restoreCustody(again, old, { acceptAge: true })).toMatchObject({
      ledger_lines: 2,
    });
  });

  it("S5-08 a custody backup that was changed or cut short is refused, and none is overwritten", async () => {
    const { settings } = await place.empty();
    const backup = readFileSync(file("custody.backup"), "utf8");
    const changed = file("changed.backup");
    const { content, takenAt } = parseBackup(Buffer.from(backup), "it");
    const stranger = new MasterKey(new Uint8Array(32));
    for (const [text, why] of [
      [backup.replace('"taken_at":"2', '"taken_at":"3'), "is damaged: take another one"],
      [`${backup.split("\n").slice(0, -2).join("\n")}\n`, "was cut short"],
      [[...backupLines(content, takenAt, stranger)].join(""), "was changed"],
    ] as const) {
      writeFileSync(changed, text);
      const taken = restoreCustody(settings, changed, { acceptAge: true });
      await expect(taken).rejects.toThrow(why);
    }
    await expect(backupCustody(place.settings, file("custody.backup"))).rejects.toThrow(
      "is there already",
    );
  });

  it("S2-29 keys outlive a change of the master key, and what is left tells the next step", async () => {
    const rotation = await rotateMasterKey(place.settings);
    expect(rotation.keys).toBe(2);
    const keyring = await place.open();
    expect((await keyring.subjectKey(...NAME))?.open(PLACE, sealed)).toBe("kept");
    await keyring.close();
    expect(await verifyCustody(place.settings, file("head.json"))).toMatchObject({ ok: true });
    const before = { masterKeyFile: rotation.before ?? "" };
    const restored = await place.empty();
    rmSync(join(dir, "data-restored"), { recursive: true, force: true });
    const taken = restoreCustody(restored.settings, file("custody.backup"), { acceptAge: false });
    await expect(taken).rejects.toThrow("under another master key");
    const own = { ...restored.settings, ...before };
    await restoreCustody(own, file("custody.backup"), { acceptAge: false });
  });
});
