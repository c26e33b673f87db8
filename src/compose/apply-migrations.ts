import { readSettings, type SettingsInput } from "../config/settings.js";
import { migratePostgres } from "../storage/drivers/postgres-migrate.js";
import { ownerPlace, reach } from "./server-place.js";
import { SYSTEM_CLOCK } from "./system-clock.js";

/**
 * Migrates the PostgreSQL server of the settings as its owner, and answers the names of what was applied. Null where the
 * settings name none: the embedded database migrates itself when it opens.
 */
export async function applyMigrations(given: SettingsInput): Promise<readonly string[] | null> {
  const { databaseUrl, migrateUrl } = readSettings(given, process.env);
  const url = migrateUrl ?? databaseUrl;
  if (url === undefined) return null;
  return reach(ownerPlace(migrateUrl, url), () => migratePostgres(url, SYSTEM_CLOCK));
}
