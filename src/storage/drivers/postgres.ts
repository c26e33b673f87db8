import pg from "pg";
import { LIMITS } from "../../domain/limits.js";
import type { Store } from "../store.js";
import { createPooledStore, POOL_DEFAULTS, type StoreOptions } from "./pooled-store.js";

export interface PostgresOptions extends StoreOptions {
  /** Where the service logs in: a NOINHERIT member of `muniment_app` that owns nothing. */
  readonly url: string;
  /** Connections at once; one is enough to work. */
  readonly poolMax?: number;
}

/**
 * Every statement is led by its keys, so one plan fits all values: planning anew costs more than most of them. A plan lives
 * as long as its connection, so it must be sound for tables that were still empty when it was made.
 */
const PLANNING = ["plan_cache_mode = force_generic_plan", "enable_seqscan = off", "jit = off"];

/** Opens a migrated PostgreSQL database. Connects on first use. */
export function openPostgres(options: PostgresOptions): Store {
  const pool = new pg.Pool({
    ...POOL_DEFAULTS,
    connectionString: options.url,
    max: options.poolMax ?? LIMITS.poolConnectionsMax,
    application_name: "muniment",
    onConnect: async (client) => {
      for (const setting of PLANNING) await client.query(`set ${setting}`);
    },
  });
  return createPooledStore(pool, options, () => pool.end());
}
