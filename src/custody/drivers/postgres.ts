import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Clock } from "../../domain/clock.js";
import { MunimentError } from "../../domain/errors.js";
import type { Keyring } from "../../domain/keyring.js";
import { LIMITS } from "../../domain/limits.js";
import type { Expectation } from "../key-store.js";
import { CustodyKeyring } from "../keyring.js";
import type { MasterKey } from "../master-key.js";
import type { MasterKeySource } from "../master-key-source.js";
import { loadMasterKey, loadMasterOf } from "../master-key-source.js";
import { PostgresLedgerStore } from "./postgres-ledger.js";
import { CUSTODY_TABLES, LEDGER_TABLES, STATEMENTS } from "./postgres-schema.js";
import { PostgresKeyStore, unreachable } from "./postgres-store.js";

/** Keys are cached: a few connections serve a busy process. */
const CONNECTIONS_MAX = 4;

export interface PostgresCustodyOptions {
  /** Another database than the sealed one's, or the same on loopback. The schema is `muniment_custody`. */
  readonly url: string;
  readonly masterKey: MasterKeySource;
  readonly clock: Clock;
  readonly expect: Expectation;
}

interface Opened {
  readonly custodyId: string;
  readonly master: MasterKey;
}

interface HeaderRow {
  readonly format: number;
  readonly custody_id: string;
  readonly check_value: Buffer;
}

/**
 * Opens the custody that several processes share; makes it where there is none and that is expected. Throws
 * `unavailable` where it can't be reached, is absent though expected, or was made under another master key.
 */
export async function openPostgresCustody(options: PostgresCustodyOptions): Promise<Keyring> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: LIMITS.connectionWaitMsMax,
    statement_timeout: LIMITS.statementMsMax,
    query_timeout: LIMITS.statementMsMax,
    application_name: "muniment custody",
  });
  // An idle connection that breaks is replaced; whoever needs one hears of a failure from its own statement.
  pool.on("error", () => undefined);
  try {
    const { custodyId, master } = await openCustody(pool, options);
    const stores = {
      keys: new PostgresKeyStore(custodyId, pool),
      ledger: new PostgresLedgerStore(pool),
    };
    return new CustodyKeyring(stores, master, options.clock, (check) =>
      loadMasterOf(options.masterKey, custodyId, check),
    );
  } catch (error) {
    await pool.end();
    throw error instanceof MunimentError ? error : unreachable(error);
  }
}

async function openCustody(pool: pg.Pool, options: PostgresCustodyOptions): Promise<Opened> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    if (await isPresent(client, STATEMENTS.hasTables)) return await openExisting(client, options);
    if (options.expect === "existing") {
      throw new MunimentError(
        "unavailable",
        "the custody database is empty, but the database was sealed with its keys: restore it from a backup",
      );
    }
    return await makeOrOpen(client, options);
  } catch (error) {
    failure = error instanceof Error ? error : new Error("unknown", { cause: error });
    throw error;
  } finally {
    // A client in a failed transaction is thrown away.
    client.release(failure);
  }
}

async function openExisting(
  client: pg.PoolClient,
  options: PostgresCustodyOptions,
): Promise<Opened> {
  const [header] = (await client.query<HeaderRow>(STATEMENTS.readHeader)).rows;
  if (header === undefined) {
    throw new MunimentError(
      "unavailable",
      "the custody database has lost its header: restore it from a backup",
    );
  }
  if (header.format !== 1 && header.format !== 2) {
    throw new MunimentError("unavailable", "the custody database was written by a newer version");
  }
  const master = await loadMasterOf(options.masterKey, header.custody_id, header.check_value);
  if (header.format === 1) await addLedger(client);
  return { custodyId: header.custody_id, master };
}

/** A custody of before the ledger gets an empty one. From then on a version that knows no ledger refuses it. */
async function addLedger(client: pg.PoolClient): Promise<void> {
  await client.query("begin");
  await client.query(STATEMENTS.lock);
  const [header] = (await client.query<HeaderRow>(STATEMENTS.readHeader)).rows;
  if (header?.format === 1) {
    for (const statement of LEDGER_TABLES) await client.query(statement);
    await client.query(STATEMENTS.setFormat);
  }
  await client.query("commit");
}

async function makeOrOpen(client: pg.PoolClient, options: PostgresCustodyOptions): Promise<Opened> {
  await client.query("begin");
  await client.query(STATEMENTS.lock);
  const isMade = await isPresent(client, STATEMENTS.hasTables);
  const opened = isMade ? await openExisting(client, options) : await make(client, options);
  await client.query("commit");
  return opened;
}

async function make(
  client: pg.PoolClient,
  { masterKey, clock }: PostgresCustodyOptions,
): Promise<Opened> {
  if (!(await isPresent(client, STATEMENTS.hasSchema)))
    await client.query("create schema muniment_custody");
  for (const statement of [...CUSTODY_TABLES, ...LEDGER_TABLES]) await client.query(statement);
  const master = await loadMasterKey(masterKey, true);
  const custodyId = randomUUID();
  await client.query(STATEMENTS.insertHeader, [
    custodyId,
    Buffer.from(master.checkValue(custodyId)),
    clock.now(),
  ]);
  return { custodyId, master };
}

async function isPresent(client: pg.PoolClient, statement: string): Promise<boolean> {
  const [row] = (await client.query<{ present: boolean }>(statement)).rows;
  return row?.present === true;
}
