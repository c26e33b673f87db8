// Migrates a database in a process of its own, as soon as it is told to, and says which migrations it applied.
import { migratePostgres } from "../../src/storage/drivers/postgres-migrate.js";

const [url = ""] = process.argv.slice(2);
process.stdout.write("ready\n");
process.stdin.once("data", async () => {
  const applied = await migratePostgres(url, { now: () => new Date() });
  process.stdout.write(`${JSON.stringify(applied)}\n`, () => process.exit(0));
});
