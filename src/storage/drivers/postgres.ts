import pg from "pg";
import { LIMITS } from "../../domain/limits.js";
import type { Store } from "../store.js";
import { createPooledStore, POOL_DEFAULTS, planByKeys, type StoreOptions } from "./pooled-store.js";

export interface PostgresOptions extends StoreOptions {
  /** Where the service logs in: a NOINHERIT member of `muniment_app` that owns nothing. */
  readonly url: string;
  /** Connections at once; one is enough to work. */
  readonly poolMax?: number;
}

/** Opens a migrated PostgreSQL database. Connects on first use. */
export function openPostgres(options: PostgresOptions): Store {
  const pool = new pg.Pool({
    ...POOL_DEFAULTS,
    connectionString: options.url,
    max: options.poolMax ?? LIMITS.poolConnectionsMax,
    application_name: "muniment",
    onConnect: planByKeys,
  });
  // The server's autovacuum tends it.
  return createPooledStore(pool, options, { tend: async () => undefined, close: () => pool.end() });
}
