import type { Clock } from "../../domain/clock.js";
import { migrate } from "../migrate.js";
import { withPostgresOwner } from "./postgres-owner.js";

/**
 * Migrates a PostgreSQL database as its owner. Answers the names of the migrations applied.
 * Throws `MigrationError` for a database of a newer version, and what the driver throws where it can't be reached.
 */
export function migratePostgres(url: string, clock: Clock): Promise<readonly string[]> {
  return withPostgresOwner(url, "upgrade", (connection) => migrate(connection, clock));
}
