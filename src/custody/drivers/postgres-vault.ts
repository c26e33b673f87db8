import pg from "pg";
import { MunimentError, must } from "../../domain/errors.js";
import { LIMITS } from "../../domain/limits.js";
import type { CustodyContent, StoredKey, TenantLine, Vault } from "../content.js";
import { CUSTODY_TABLES, LEDGER_TABLES, STATEMENTS } from "./postgres-schema.js";
import { unreachable } from "./postgres-store.js";

/** Rows of one statement. */
const ROWS_MAX = 1_000;

/** The custody in the database at `url`, as its operator handles it. */
export function postgresVault(url: string): Vault {
  return {
    read: () => inTransaction(url, "begin isolation level repeatable read, read only", read),
    write: (content) => inTransaction(url, "begin", (client) => write(client, content)),
    rewrap: (rewrap) =>
      inTransaction(url, "begin", async (client) => {
        // From here on nobody makes a key until we commit: each creation reads this row under a lock.
        await client.query(VAULT.lockHeader);
        const content = must(await read(client), "the custody");
        await replaceKeys(client, rewrap(content));
      }),
  };
}

const VAULT = {
  lockHeader: "select one from muniment_custody.header where one for update",
  readKeys: `select tenant_id as tenant, subject_id as subject, key_id as "keyId", wrapped,
      created_at as "createdAt", destroyed_at as "destroyedAt"
    from muniment_custody.key
    order by created_at, tenant_id, subject_id, key_id`,
  readLines: `select tenant_id as tenant, seq, line as text, mac from muniment_custody.ledger
    order by tenant_id, seq`,
  insertKeys: `insert into muniment_custody.key
      (tenant_id, subject_id, key_id, wrapped, created_at, destroyed_at)
    select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::bytea[], $5::timestamptz[], $6::timestamptz[])`,
  insertLines: `insert into muniment_custody.ledger (tenant_id, seq, line, mac)
    select * from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[])`,
  insertHeads: `insert into muniment_custody.ledger_head (tenant_id, seq, mac)
    select distinct on (tenant_id) tenant_id, seq, mac from muniment_custody.ledger
    order by tenant_id, seq desc`,
  // A key that is destroyed while we wait for its row stays destroyed.
  rewrapKeys: `update muniment_custody.key as k set wrapped = new.wrapped
    from unnest($1::uuid[], $2::text[], $3::uuid[], $4::bytea[]) as new (tenant_id, subject_id, key_id, wrapped)
    where k.tenant_id = new.tenant_id and k.subject_id = new.subject_id and k.key_id = new.key_id
      and k.wrapped is not null`,
  setCheck: "update muniment_custody.header set check_value = $1 where one",
} as const;

async function inTransaction<R>(
  url: string,
  begin: string,
  body: (client: pg.Client) => Promise<R>,
): Promise<R> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: LIMITS.connectionWaitMsMax,
    application_name: "muniment custody",
  });
  try {
    await client.connect();
    await client.query(begin);
    await client.query("set local synchronous_commit = on");
    const result = await body(client);
    await client.query("commit");
    return result;
  } catch (error) {
    throw error instanceof MunimentError ? error : unreachable(error);
  } finally {
    await client.end();
  }
}

async function read(client: pg.Client): Promise<CustodyContent | null> {
  const [made] = (await client.query<{ present: boolean }>(STATEMENTS.hasTables)).rows;
  if (made?.present !== true) return null;
  const [header] = (
    await client.query<{ format: number; custody_id: string; check_value: Buffer }>(
      STATEMENTS.readHeader,
    )
  ).rows;
  if (header?.format !== 2)
    throw new MunimentError(
      "unavailable",
      "the custody database has lost its header, or is of another version: start the service once",
    );
  return {
    custodyId: header.custody_id,
    check: header.check_value,
    keys: (await client.query<StoredKey>(VAULT.readKeys)).rows,
    lines: (await client.query<TenantLine>(VAULT.readLines)).rows,
  };
}

async function write(client: pg.Client, content: CustodyContent): Promise<void> {
  await client.query(STATEMENTS.lock);
  const [made] = (await client.query<{ present: boolean }>(STATEMENTS.hasTables)).rows;
  if (made?.present === true)
    throw new MunimentError("invalid_input", "the custody database has a custody already");
  await client.query("create schema if not exists muniment_custody");
  for (const statement of [...CUSTODY_TABLES, ...LEDGER_TABLES]) await client.query(statement);
  const { custodyId, check, keys, lines } = content;
  const oldest = keys[0]?.createdAt ?? new Date();
  await client.query(STATEMENTS.insertHeader, [custodyId, Buffer.from(check), oldest]);
  for (const some of batchesOf(keys))
    await client.query(VAULT.insertKeys, [
      ...namesOf(some),
      some.map(bytesOf),
      some.map(({ createdAt }) => createdAt),
      some.map(({ destroyedAt }) => destroyedAt),
    ]);
  for (const some of batchesOf(lines))
    await client.query(VAULT.insertLines, [
      some.map(({ tenant }) => tenant),
      some.map(({ seq }) => seq),
      some.map(({ text }) => text),
      some.map(({ mac }) => mac),
    ]);
  await client.query(VAULT.insertHeads);
}

async function replaceKeys(client: pg.Client, { check, keys }: CustodyContent): Promise<void> {
  for (const some of batchesOf(keys.filter(({ wrapped }) => wrapped !== null)))
    await client.query(VAULT.rewrapKeys, [...namesOf(some), some.map(bytesOf)]);
  await client.query(VAULT.setCheck, [Buffer.from(check)]);
}

function namesOf(keys: readonly StoredKey[]): readonly (readonly string[])[] {
  return [
    keys.map(({ tenant }) => tenant),
    keys.map(({ subject }) => subject),
    keys.map(({ keyId }) => keyId),
  ];
}

function bytesOf({ wrapped }: StoredKey): Buffer | null {
  return wrapped && Buffer.from(wrapped);
}

function* batchesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += ROWS_MAX)
    yield items.slice(start, start + ROWS_MAX);
}
