import { expect, it } from "vitest";
import { createPgliteStore } from "../../src/storage/drivers/pglite.js";
import { openDatabase } from "../../src/storage/drivers/pglite-database.js";
import { ensurePgliteTemplate } from "../setup/databases.js";

it("S5-13 deleted rows leave the embedded database's files and its tables are counted, as a server does by itself", async () => {
  const db = await openDatabase(null, await ensurePgliteTemplate());
  const store = createPgliteStore(db, {
    clock: { now: () => new Date() },
    onAlarm: () => undefined,
  });
  const names = "select 'org-' || n from generate_series(1, 500) n";
  await db.query(
    `insert into muniment.tenant (tenant_id, name, evidence_days, created_at) select gen_random_uuid(), name, 1, now() from (${names}) x (name)`,
  );
  await db.query("delete from muniment.tenant where name <> 'org-7'");
  await store.tend();
  const { rows } = await db.query(
    "select reltuples::integer as rows, pg_relation_size(oid)::integer as bytes from pg_class where oid = 'muniment.tenant'::regclass",
  );
  expect(rows).toEqual([{ rows: 1, bytes: 8_192 }]);
  await store.close();
});
