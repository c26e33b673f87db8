import type { Duplex } from "node:stream";
import type pg from "pg";
import type { Clock } from "../../domain/clock.js";
import { MunimentError } from "../../domain/errors.js";
import { LIMITS } from "../../domain/limits.js";
import { Permit } from "../../domain/permit.js";
import { connectionError, isReported, statementError } from "../database-error.js";
import { migrationFindings } from "../migrate.js";
import { type Ends, runScoped, setScope, type Wire, type WireRow } from "../scoped-transaction.js";
import { type CatalogueQuery, checkCatalogue } from "../self-check.js";
import { type Statement, sql } from "../sql.js";
import type { OnAlarm, Store } from "../store.js";
import { createDirectory, OUTSIDE, type RunOutside } from "../tenants.js";
import { sendBatch, type WireStatement } from "./batch.js";
import { checkParameters } from "./parameters.js";
import { createQueueCommand } from "./queue-command.js";
import { ROW_TYPES } from "./row-types.js";

export interface StoreOptions {
  readonly clock: Clock;
  readonly onAlarm: OnAlarm;
  /** Days that a new tenant's turns stay evidence. */
  readonly evidenceDays?: number;
  /** Told of each network flush: what an operation costs in round trips. */
  readonly onFlush?: () => void;
}

/** A statement that outlives the server's own timeout means a dead connection. */
const GRACE_MS = 5_000;

/** What every pool of ours is made with. */
export const POOL_DEFAULTS = {
  types: ROW_TYPES,
  connectionTimeoutMillis: LIMITS.connectionWaitMsMax,
  statement_timeout: LIMITS.statementMsMax,
  idle_in_transaction_session_timeout: LIMITS.statementMsMax * 2,
  query_timeout: LIMITS.statementMsMax + GRACE_MS,
  keepAlive: true,
} satisfies pg.PoolConfig;

/**
 * Every statement is led by its keys, so one plan fits all values: planning anew costs more than most of them. A plan lives
 * as long as its connection, so it must be sound for tables that were still empty when it was made.
 */
const PLANNING = ["plan_cache_mode = force_generic_plan", "enable_seqscan = off", "jit = off"];

/** What every new connection is told first. */
export async function planByKeys(client: pg.ClientBase): Promise<void> {
  for (const setting of PLANNING) await client.query(`set ${setting}`);
}

function streamOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection
    .stream;
}

const BEGIN: WireStatement = { name: "begin", text: "begin", values: [] };
const COMMIT: WireStatement = { name: "commit", text: "commit", values: [] };

class PooledWire implements Wire {
  #client: pg.PoolClient | null = null;
  #isAbandoned = false;
  readonly #pool: pg.Pool;
  readonly #onFlush: (() => void) | undefined;

  constructor(pool: pg.Pool, onFlush: (() => void) | undefined) {
    this.#pool = pool;
    this.#onFlush = onFlush;
  }

  async flush(
    statements: readonly Statement[],
    { begin, commit, early }: Ends,
  ): Promise<readonly (readonly WireRow[])[]> {
    for (const { values } of statements) checkParameters(values);
    const client = await this.#connected();
    const led = begin ? [BEGIN] : [];
    const sent = sendBatch(
      client,
      [...led, ...statements, ...(commit ? [COMMIT] : [])],
      early && {
        count: led.length + early.count,
        onResults: (results) => early.onRows(results.slice(led.length).map(({ rows }) => rows)),
      },
    );
    this.#onFlush?.();
    const results = await sent.catch((cause: unknown) => {
      // An answer may still come to statements that were given up: nobody else may get it.
      if (!isReported(cause)) streamOf(client).destroy();
      throw statementError(cause);
    });
    if (commit) this.#endCommitted(results.at(-1)?.command);
    return results.slice(led.length, commit ? -1 : undefined).map((result) => result.rows);
  }

  async rollback(): Promise<void> {
    const client = this.#client;
    if (client === null) return;
    try {
      await client.query("rollback");
    } catch {
      // A connection that can't roll back is in doubt: `#release` gives it up.
    }
    this.#release();
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#release(true);
  }

  async #connected(): Promise<pg.PoolClient> {
    if (this.#client !== null) return this.#client;
    if (this.#pool.waitingCount >= LIMITS.connectionWaitersMax) {
      throw connectionError(new Error("too many transactions wait for a connection"));
    }
    const client = await this.#pool.connect().catch((cause: unknown) => {
      throw connectionError(cause);
    });
    if (this.#isAbandoned) {
      client.release();
      throw new MunimentError("internal", "the transaction was given up before it began");
    }
    this.#client = client;
    return client;
  }

  #endCommitted(tag: string | undefined): void {
    this.#release();
    // An aborted transaction answers `commit` with ROLLBACK and no error.
    if (tag !== "COMMIT")
      throw new MunimentError("internal", "the transaction was rolled back at its commit");
  }

  #release(inDoubt = false): void {
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    const quiet = !inDoubt && client.getTransactionStatus() === "I";
    if (!quiet) streamOf(client).destroy();
    client.release(!quiet);
  }
}

function ignoreError(): void {}

async function selfCheck(pool: pg.Pool, run: RunOutside): Promise<readonly string[]> {
  const query: CatalogueQuery = async (text) => {
    const found = await pool.query<Record<string, unknown>>(text).catch((cause: unknown) => {
      throw statementError(cause);
    });
    return found.rows;
  };
  const [row] = await query("select to_regclass('muniment.migration') is not null as found");
  if (row?.found !== true)
    return ["the database has no muniment schema: bring it forward with muniment upgrade"];
  const [applied] = await run(OUTSIDE, [
    sql`select number, sha256 from muniment.migration order by number limit 10000`,
  ]);
  return [...migrationFindings(applied ?? []), ...(await checkCatalogue(query))];
}

/** The storage port over a pool of pipelined connections. Both drivers are this; they differ in what they connect to. */
export function createPooledStore(
  pool: pg.Pool,
  options: StoreOptions,
  { tend, close }: Pick<Store, "tend" | "close">,
): Store {
  // An idle connection that breaks is replaced by the pool, one in use fails its statements, one that is closing has ended
  // anyway: the event alone would end the process.
  pool.on("error", ignoreError);
  pool.on("connect", (client) => client.on("error", ignoreError));
  const runOutside: RunOutside = async (scope, statements) => {
    const wire = new PooledWire(pool, undefined);
    try {
      const rows = await wire.flush([setScope(scope), ...statements], {
        begin: true,
        commit: true,
      });
      return rows.slice(1);
    } finally {
      await wire.rollback();
    }
  };
  return {
    async transact(permit, body) {
      const spent = Permit.spend(permit);
      return runScoped(spent, new PooledWire(pool, options.onFlush), options.onAlarm, body);
    },
    queue: createQueueCommand(pool),
    directory: createDirectory(runOutside, options.clock, options.evidenceDays),
    selfCheck: () => selfCheck(pool, runOutside),
    tend,
    close,
  };
}
