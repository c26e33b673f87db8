import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, describe, inject } from "vitest";
import type { Clock } from "../../src/domain/clock.js";
import { createPgliteStore } from "../../src/storage/drivers/pglite.js";
import { buildTemplate, openDatabase } from "../../src/storage/drivers/pglite-database.js";
import type { StoreOptions } from "../../src/storage/drivers/pooled-store.js";
import { openPostgres } from "../../src/storage/drivers/postgres.js";
import { migratePostgres } from "../../src/storage/drivers/postgres-migrate.js";
import { createLoginRole } from "../../src/storage/drivers/postgres-roles.js";
import { readMigrations } from "../../src/storage/migrate.js";
import type { Alarm, Store } from "../../src/storage/store.js";
import { afterFile } from "./after-file.js";

type Row = Readonly<Record<string, unknown>>;

export interface TestDatabase {
  readonly store: Store;
  /** Alarms that the store raised, in order. */
  readonly alarms: readonly Alarm[];
  /** How often the store flushed to the database. */
  flushes(): number;
  /** As the owner, outside every wall: to look, and to put rows where no operation would put them. */
  query<R extends Row = Row>(text: string, values?: readonly unknown[]): Promise<readonly R[]>;
}

export interface TestDatabaseOptions {
  readonly clock?: Clock;
  readonly poolMax?: number;
}

/** A database that suites open fresh, empty and migrated; all that was opened is closed after the suite. */
export interface DatabaseKind {
  readonly name: "pglite" | "postgres 18" | "postgres 15";
  open(options?: TestDatabaseOptions): Promise<TestDatabase>;
}

export interface FreshPostgres {
  /** The owner's. */
  readonly migrateUrl: string;
  /** The service's: a NOINHERIT member of `muniment_app` that owns nothing. */
  readonly url: string;
  drop(): Promise<void>;
}

const SYSTEM_CLOCK: Clock = { now: () => new Date() };
const TEMPLATE = "muniment_template";
const LOGIN = "muniment_login";

function withDatabase(url: string, database: string, user?: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  if (user !== undefined) changed.username = user;
  return changed.href;
}

async function withClient<R>(url: string, body: (client: pg.Client) => Promise<R>): Promise<R> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}

/** The migrated database that fresh ones are cloned from: made once a server, by whichever test worker comes first. */
async function ensureTemplate(serverUrl: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    await client.query("select pg_advisory_lock(1)");
    const found = await client.query("select from pg_database where datname = $1", [TEMPLATE]);
    if (found.rowCount === 0) {
      const unfinished = `${TEMPLATE}_unfinished`;
      await client.query(`drop database if exists ${unfinished}`);
      await client.query(`create database ${unfinished}`);
      await migratePostgres(withDatabase(serverUrl, unfinished), SYSTEM_CLOCK);
      const login = await client.query("select from pg_roles where rolname = $1", [LOGIN]);
      if (login.rowCount === 0) await createLoginRole(client, LOGIN);
      await client.query(`alter database ${unfinished} rename to ${TEMPLATE}`);
    }
  });
}

/** An empty database without migrations, with its owner's URL. */
export async function emptyPostgres(serverUrl = inject("postgresUrl")): Promise<FreshPostgres> {
  return createPostgres(serverUrl, "template0");
}

/** A new, empty, migrated database on the server (PostgreSQL 18 unless told). */
export async function freshPostgres(serverUrl = inject("postgresUrl")): Promise<FreshPostgres> {
  await ensureTemplate(serverUrl);
  return createPostgres(serverUrl, TEMPLATE);
}

async function createPostgres(serverUrl: string, template: string): Promise<FreshPostgres> {
  const name = `t_${crypto.randomUUID().replaceAll("-", "")}`;
  await withClient(serverUrl, (client) =>
    client.query(`create database ${name} template ${template}`),
  );
  return {
    migrateUrl: withDatabase(serverUrl, name),
    url: withDatabase(serverUrl, name, LOGIN),
    drop: () =>
      withClient(serverUrl, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

/** The template of today's migrations, packed, kept between runs: making a PGlite from nothing takes seconds. */
export async function ensurePgliteTemplate(): Promise<string> {
  const module = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const key = createHash("sha256").update(statSync(module).mtime.toISOString());
  for (const source of ["migrate.ts", "queue-schema.ts"])
    key.update(readFileSync(join(import.meta.dirname, "../../src/storage", source)));
  for (const { sha256 } of readMigrations()) key.update(sha256);
  const name = `pglite-template-${key.digest("hex").slice(0, 16)}.tar.gz`;
  const packed = join(import.meta.dirname, "../../.cache", name);
  if (!existsSync(packed)) await buildTemplate(packed);
  return packed;
}

/** The same unpacked: to unpack it for each PGlite is as much work as the rest of its start. */
async function ensureUnpackedTemplate(): Promise<string> {
  const packed = await ensurePgliteTemplate();
  const file = packed.replace(/\.gz$/, "");
  if (existsSync(file)) return file;
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, gunzipSync(readFileSync(packed)));
  renameSync(unfinished, file);
  return file;
}

function watched(options: TestDatabaseOptions): {
  readonly options: StoreOptions;
  readonly alarms: Alarm[];
  flushes(): number;
} {
  const alarms: Alarm[] = [];
  let flushes = 0;
  return {
    alarms,
    flushes: () => flushes,
    options: {
      clock: options.clock ?? SYSTEM_CLOCK,
      onAlarm: (alarm) => alarms.push(alarm),
      onFlush: () => {
        flushes += 1;
      },
    },
  };
}

type Closing = (close: () => Promise<unknown>) => void;

async function openTestPostgres(
  serverUrl: string,
  options: TestDatabaseOptions,
  closing: Closing,
): Promise<TestDatabase> {
  const fresh = await freshPostgres(serverUrl);
  const seen = watched(options);
  const store = openPostgres({
    ...seen.options,
    url: fresh.url,
    ...(options.poolMax === undefined ? {} : { poolMax: options.poolMax }),
  });
  const owner = new pg.Pool({ connectionString: fresh.migrateUrl, max: 1 });
  // Its pool forgets a client that is closing before the server has: the drop below ends that connection, and the client
  // tells the pool of it.
  owner.on("error", () => undefined);
  owner.on("connect", (client) => client.on("error", () => undefined));
  closing(async () => {
    await store.close();
    await owner.end();
    await fresh.drop();
  });
  return {
    store,
    alarms: seen.alarms,
    flushes: seen.flushes,
    query: async <R extends Row>(text: string, values: readonly unknown[] = []) =>
      (await owner.query<R>(text, [...values])).rows,
  };
}

async function openTestPglite(
  options: TestDatabaseOptions,
  closing: Closing,
): Promise<TestDatabase> {
  const db: PGlite = await openDatabase(null, await ensureUnpackedTemplate());
  const seen = watched(options);
  const store = createPgliteStore(db, seen.options);
  closing(() => store.close());
  return {
    store,
    alarms: seen.alarms,
    flushes: seen.flushes,
    query: async <R extends Row>(text: string, values: readonly unknown[] = []) =>
      (await db.query<R>(text, [...values])).rows,
  };
}

export interface EachDatabaseOptions {
  /** The oldest supported PostgreSQL too. */
  readonly oldest?: boolean;
}

/** Runs a suite on PGlite and on PostgreSQL. The describe title names the database: docs/conformance.md reads it. */
export function describeEachDatabase(
  name: string,
  suite: (database: DatabaseKind) => void,
  { oldest = false }: EachDatabaseOptions = {},
): void {
  const openers: [
    DatabaseKind["name"],
    (options: TestDatabaseOptions, closing: Closing) => Promise<TestDatabase>,
  ][] = [
    ["pglite", openTestPglite],
    [
      "postgres 18",
      (options, closing) => openTestPostgres(inject("postgresUrl"), options, closing),
    ],
  ];
  const url15 = inject("postgres15Url");
  if (oldest && url15 !== null) {
    openers.push(["postgres 15", (options, closing) => openTestPostgres(url15, options, closing)]);
  }
  for (const [kind, open] of openers) {
    describe(`${name} (${kind})`, () => {
      const closers: (() => Promise<unknown>)[] = [];
      suite({ name: kind, open: (options = {}) => open(options, (close) => closers.push(close)) });
      afterAll(async () => {
        for (const close of closers.reverse()) await close();
      });
    });
  }
}

/** A directory of a test, removed after its file. */
export async function temporaryDirectory(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "muniment-test-"));
  afterFile(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
