import pg from "pg";
import { MunimentError } from "../../domain/errors.js";
import { LIMITS } from "../../domain/limits.js";
import type { MigrationConnection } from "../migration-connection.js";

/** Runs `body` over a connection of the owner's login. Throws what the driver throws where it can't be reached. */
export async function withPostgresOwner<R>(
  url: string,
  purpose: string,
  body: (connection: MigrationConnection) => Promise<R>,
): Promise<R> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: LIMITS.connectionWaitMsMax,
    application_name: `muniment ${purpose}`,
  });
  await client.connect();
  try {
    return await body({
      query: (text, values) =>
        client.query<Record<string, unknown>>(text, values === undefined ? [] : [...values]),
    });
  } finally {
    await client.end();
  }
}

/** The same over a database that has nothing of ours yet. */
export function withNewPostgres<R>(
  url: string,
  purpose: string,
  body: (connection: MigrationConnection) => Promise<R>,
): Promise<R> {
  return withPostgresOwner(url, purpose, async (connection) => {
    const { rows } = await connection.query(
      "select from pg_catalog.pg_namespace where nspname in ('muniment', 'pgboss')",
    );
    if (rows.length === 0) return body(connection);
    throw new MunimentError(
      "invalid_input",
      "the database isn't empty: take a new one, or drop its schemas muniment and pgboss first",
      { field: "databaseUrl" },
    );
  });
}
