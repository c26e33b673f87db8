import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { createServices } from "../../src/compose/open.js";
import { replayLedger } from "../../src/services/replay-ledger.js";
import type { StoredFiles } from "../../src/services/stored-files.js";
import { loadBackup, verifyBackup } from "../../src/storage/backup/load-backup.js";
import { writeBackup } from "../../src/storage/backup/write-backup.js";
import { temporaryDirectory } from "../setup/databases.js";
import type { TestMuniment } from "./muniment.js";

/** Writes a backup of the database, and gives the way to put it in the database's place. */
export async function backUp(m: TestMuniment): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(await temporaryDirectory(), "backup-"));
  const connection = {
    query: async (text: string, values: readonly unknown[] = []) => ({
      rows: await m.db.query(text, values),
    }),
  };
  await writeBackup(connection, { dir, at: m.clock.now(), muniment: "test" });
  return async () => {
    await loadBackup(connection, dir, await verifyBackup(dir), m.clock);
  };
}

/** A new process over the same database and custody, which follows the ledger before it serves. */
export async function startAnew(m: TestMuniment, files?: StoredFiles): Promise<void> {
  const { store, keyring, clock, onAlarm } = m.services;
  const anew = createServices({
    store,
    keyring,
    clock,
    onAlarm,
    ...(files === undefined ? {} : { files }),
  });
  Object.assign(m.services, anew);
  await replayLedger(m.services);
}
