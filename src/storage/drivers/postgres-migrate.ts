import pg from "pg";
import type { Clock } from "../../domain/clock.js";
import { LIMITS } from "../../domain/limits.js";
import { migrate } from "../migrate.js";

/**
 * Migrates a PostgreSQL database as its owner. Answers the names of the migrations applied.
 * Throws `MigrationError` for a database of a newer version, and what the driver throws where it can't be reached.
 */
export async function migratePostgres(url: string, clock: Clock): Promise<readonly string[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: LIMITS.connectionWaitMsMax,
    application_name: "muniment upgrade",
  });
  await client.connect();
  try {
    return await migrate(
      {
        query: (text, values) =>
          client.query<Record<string, unknown>>(text, values === undefined ? [] : [...values]),
      },
      clock,
    );
  } finally {
    await client.end();
  }
}
