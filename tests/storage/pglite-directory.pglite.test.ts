import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type DirectoryLock, lockDirectory } from "../../src/storage/drivers/directory-lock.js";
import { openPglite } from "../../src/storage/drivers/pglite.js";
import { sql } from "../../src/storage/sql.js";
import type { Store } from "../../src/storage/store.js";
import { runChild } from "../setup/child-process.js";
import { ensurePgliteTemplate, temporaryDirectory } from "../setup/databases.js";
import { permitFor } from "./permits.js";

const OPTIONS = { clock: { now: () => new Date() }, onAlarm: () => undefined };

async function open(
  dir: string,
  templateFile?: string,
): Promise<{ readonly store: Store; readonly lock: DirectoryLock }> {
  const lock = await lockDirectory(dir);
  const file = templateFile ?? (await ensurePgliteTemplate());
  return { lock, store: await openPglite({ ...OPTIONS, data: lock, templateFile: file }) };
}

async function close({
  store,
  lock,
}: {
  readonly store: Store;
  readonly lock: DirectoryLock;
}): Promise<void> {
  await store.close();
  await lock.release();
}

describe("data directory (pglite)", () => {
  it("a new directory starts from the packed template, and what is written is there after a restart", async () => {
    const dir = await temporaryDirectory();
    // What a start that was killed in mid-unpacking left.
    mkdirSync(join(dir, "db.unfinished-1"));
    writeFileSync(join(dir, "db.unfinished-1/PG_VERSION"), "18");
    const first = await open(dir);
    expect(await first.store.selfCheck()).toEqual([]);
    const tenant = await first.store.directory.tenant("bank-au");
    expect(await first.store.directory.custody()).toBeNull();
    await close(first);
    expect(readdirSync(dir)).toEqual(["db"]);
    const second = await open(dir);
    expect(await second.store.directory.tenant("bank-au")).toEqual(tenant);
    await close(second);
  });

  it("without a template file the database is made from nothing, the same", async () => {
    const made = await open(await temporaryDirectory(), "/nowhere/template.tar.gz");
    expect(await made.store.selfCheck()).toEqual([]);
    await close(made);
  });

  it("after kill -9 in mid-write, again and again, no acknowledged write is lost", async () => {
    const dir = await temporaryDirectory();
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const writer = runChild(fileURLToPath(new URL("./pglite-writer.ts", import.meta.url)), [
        dir,
        await ensurePgliteTemplate(),
        "bank-au",
      ]);
      expect(await writer.nextLine()).toBe("open");
      for (let seen = 0; seen < 5 + round * 20; seen += 1)
        acknowledged.push(await writer.nextLine());
      writer.process.kill("SIGKILL");
      await writer.exit;
    }
    const opened = await open(dir);
    const { tenantId } = await opened.store.directory.tenant("bank-au");
    const [rows] = await opened.store.transact(permitFor({ tenant: tenantId }), (tx) =>
      tx.commit([
        sql<{
          name: string;
        }>`select name from muniment.workspace where tenant_id = ${tenantId} order by name`,
      ]),
    );
    expect(rows.map((row) => row.name)).toEqual(expect.arrayContaining(acknowledged));
    await close(opened);
  });
});
