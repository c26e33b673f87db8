import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type OpenParts, openParts } from "../src/compose/open.js";
import { migratePostgres } from "../src/storage/drivers/postgres-migrate.js";
import { createLoginRole } from "../src/storage/drivers/postgres-roles.js";
import { startPostgres } from "../tests/setup/embedded-postgres.js";

const LOGIN = "bench_login";

/** A running PostgreSQL with fsync on, and what was opened on it. */
export interface Server {
  readonly version: string;
  readonly hasVectors: boolean;
  /** A new, empty database; its owner's URL. */
  createDatabase(name: string): Promise<string>;
  /** Muniment on databases of its own, as a deployment has it: owner, login and custody are three URLs. */
  openMuniment(name: string, onFlush: () => void): Promise<OpenMuniment>;
  /** Runs it when the server stops. */
  onStop(close: () => Promise<unknown>): void;
  stop(): Promise<void>;
}

export interface OpenMuniment {
  readonly parts: OpenParts;
  /** Sees every row. */
  readonly owner: pg.Client;
}

export async function startServer(): Promise<Server> {
  const postgres = await startPostgres({ major: 18 });
  const dir = mkdtempSync(join(tmpdir(), "muniment-bench-"));
  const closers: (() => Promise<unknown>)[] = [
    () => postgres.stop(),
    async () => rmSync(dir, { recursive: true, force: true }),
  ];
  const connect = async (url: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    closers.push(() => client.end());
    return client;
  };
  const root = await connect(postgres.url);
  let hasLogin = false;
  const createDatabase = async (name: string): Promise<string> => {
    await root.query(`create database ${name}`);
    return urlOf(postgres.url, name);
  };
  return {
    version: await scalar(root, "show server_version"),
    hasVectors:
      (await root.query("select from pg_available_extensions where name = 'vector'")).rowCount ===
      1,
    createDatabase,
    onStop: (close) => closers.push(close),
    async openMuniment(name, onFlush) {
      const migrateUrl = await createDatabase(name);
      const custodyUrl = await createDatabase(`${name}_custody`);
      await migratePostgres(migrateUrl, { now: () => new Date() });
      if (!hasLogin) await createLoginRole(root, LOGIN);
      hasLogin = true;
      const parts = await openParts(
        {
          dataDir: join(dir, name),
          masterKey: randomBytes(32).toString("hex"),
          databaseUrl: urlOf(migrateUrl, name, LOGIN),
          migrateUrl,
          custodyUrl,
        },
        { onFlush },
      );
      closers.push(() => parts.close());
      return { parts, owner: await connect(migrateUrl) };
    },
    stop: async () => {
      for (const close of closers.toReversed()) await close();
    },
  };
}

async function scalar(client: pg.Client, text: string): Promise<string> {
  const { rows } = await client.query<Record<string, unknown>>(text);
  return String(Object.values(rows[0] ?? {})[0]);
}

function urlOf(url: string, database: string, user?: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  if (user !== undefined) changed.username = user;
  return changed.href;
}
