import type { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { migrate } from "../migrate.js";
import type { Store } from "../store.js";
import type { DirectoryLock } from "./directory-lock.js";
import { openDatabase, TEMPLATE_FILE } from "./pglite-database.js";
import { PgliteSocket } from "./pglite-socket.js";
import { createPooledStore, POOL_DEFAULTS, planByKeys, type StoreOptions } from "./pooled-store.js";

export interface PgliteOptions extends StoreOptions {
  /** A locked data directory, in which the database lives under `db`; or memory, gone when closed. */
  readonly data: DirectoryLock | "memory";
  /** Packed template; where the file is absent, the database is made from nothing, which takes longer. */
  readonly templateFile?: string;
}

/** The storage port over a PGlite that is open and migrated. Closing the store closes it. */
export function createPgliteStore(db: PGlite, options: StoreOptions): Store {
  const pool = new pg.Pool({
    ...POOL_DEFAULTS,
    stream: () => new PgliteSocket(db),
    user: "postgres",
    database: "postgres",
    // One backend: its one connection is never given up for being idle.
    max: 1,
    min: 1,
    idleTimeoutMillis: 0,
    // A connection given up in mid-flight leaves its transaction and its statement names to the next one.
    onConnect: async (client) => {
      await client.query("rollback");
      await client.query("deallocate all");
      await planByKeys(client);
    },
  });
  return createPooledStore(pool, options, {
    tend: () => vacuumChanged(pool),
    close: async () => {
      await pool.end();
      await db.close();
    },
  });
}

/** By the bounds that a server's autovacuum has by default. */
const CHANGED = `
  select format('%I.%I', schemaname, relname) as name from pg_catalog.pg_stat_user_tables
  where n_dead_tup > 50 + n_live_tup / 5 or n_mod_since_analyze > 50 + n_live_tup / 10
  order by name`;

/** A plan for a table that nobody has counted takes any index, and rows that were deleted stay on disk: PGlite has no autovacuum. */
async function vacuumChanged(pool: pg.Pool): Promise<void> {
  // What the last second did isn't counted yet.
  await pool.query("select pg_stat_force_next_flush()");
  const { rows } = await pool.query<{ readonly name: string }>(CHANGED);
  // One table at a time: calls come in between.
  for (const { name } of rows) await pool.query(`vacuum (analyze) ${name}`);
}

/** Opens the embedded database, made from the packed template where it is new, and migrates it. */
export async function openPglite(options: PgliteOptions): Promise<Store> {
  const dir = options.data === "memory" ? null : options.data.dir;
  const db = await openDatabase(dir, options.templateFile ?? TEMPLATE_FILE);
  try {
    await migrate(
      {
        query: (text, values) =>
          db.query<Record<string, unknown>>(text, values === undefined ? [] : [...values]),
      },
      options.clock,
    );
    return createPgliteStore(db, options);
  } catch (error) {
    await db.close();
    throw error;
  }
}
