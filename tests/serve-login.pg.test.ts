import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkServer } from "../src/compose/diagnosis/server.js";
import { openParts } from "../src/compose/open.js";
import { readSettings } from "../src/config/settings.js";
import { emptyPostgres, freshPostgres, temporaryDirectory } from "./setup/databases.js";

const SYSTEM_CLOCK = { now: () => new Date() };

describe("serving on PostgreSQL (postgres 18)", () => {
  it("S5-02 a service needs no login but its own: the owner's stays with whoever migrates", async () => {
    const dir = await temporaryDirectory();
    const database = await freshPostgres();
    const custody = await emptyPostgres();
    const own = { dataDir: join(dir, "data"), masterKeyFile: join(dir, "master.key") };
    const parts = await openParts({
      ...own,
      databaseUrl: database.url,
      custodyUrl: custody.migrateUrl,
    });
    expect(parts.database.warnings).toEqual([]);
    await parts.close();
    const settings = readSettings(
      { ...own, databaseUrl: database.url, custodyUrl: custody.migrateUrl },
      {},
    );
    const { checks } = await checkServer(settings, database.url, SYSTEM_CLOCK);
    expect(checks.filter((check) => !check.ok)).toEqual([]);
  });

  it("S5-02 a database that nobody migrated is refused, and the refusal says what to do", async () => {
    const dir = await temporaryDirectory();
    await freshPostgres();
    const database = await emptyPostgres();
    const url = new URL(database.migrateUrl);
    url.username = "muniment_login";
    const opening = openParts({
      dataDir: join(dir, "data"),
      masterKeyFile: join(dir, "master.key"),
      databaseUrl: url.href,
      custodyUrl: database.migrateUrl,
    });
    await expect(opening).rejects.toMatchObject({ kind: "unavailable" });
    await expect(opening).rejects.toThrow(/muniment upgrade/);
  });
});
