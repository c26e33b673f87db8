import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { isKept } from "../src/domain/erased-stores.js";
import { SUBJECT_TABLES } from "../src/storage/queries/subject-end.js";
import { type Service, startService } from "../tests/doors/service.js";
import { startPostgres } from "../tests/setup/embedded-postgres.js";
import { openWay, type Way } from "./cut-off.js";

/** A service behind a way that can be cut off, and the two databases as their owner sees them. */
export interface Bench {
  readonly way: Way;
  serve(): Promise<Service>;
  /** Rows by table of the person of a run. */
  rowsOf(run: string): Promise<ReadonlyMap<string, number>>;
  /** Lines of the ledger. */
  intents(): Promise<number>;
  /** The person of a run, by the internal id. */
  subjectOf(run: string): Promise<string>;
  /** A number out of the database of memory. */
  count(text: string, values: readonly unknown[]): Promise<number>;
  /** Lets the leases of vanished workers run out, as time would. */
  expireLeases(): Promise<void>;
  stop(): Promise<void>;
}

/** What the server still finishes of a killed service would take a lease behind our backs. */
const BACKENDS = `
  select count(*)::int as n from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;
const LOOK_MS = 10;
const LOOKS_MAX = 1_000;

/** Until nobody but the asker is connected. */
async function leftAlone(pool: pg.Pool): Promise<void> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const { rows } = await pool.query<{ n: number }>(BACKENDS);
    if (rows[0]?.n === 0) return;
    await wait(LOOK_MS);
  }
  throw new Error("the killed service's connections stayed open");
}

export async function openBench(): Promise<Bench> {
  const postgres = await startPostgres({ major: 18 });
  const way = await openWay(Number(new URL(postgres.url).port));
  const parent = mkdtempSync(join(tmpdir(), "muniment-kills-"));
  const masterKey = join(parent, "master.key");
  writeFileSync(masterKey, randomBytes(32).toString("base64"), { mode: 0o600 });
  const root = new pg.Pool({ connectionString: postgres.url, max: 1 });
  for (const name of ["memory", "custody"]) await root.query(`create database ${name}`);
  const urlOf = (name: string, port: string) =>
    Object.assign(new URL(postgres.url), { pathname: `/${name}`, port }).href;
  const direct = (name: string) =>
    new pg.Pool({ connectionString: urlOf(name, new URL(postgres.url).port), max: 1 });
  const [memory, custody] = [direct("memory"), direct("custody")];
  const subjects = new Map<string, string>();
  const subjectOf = async (run: string): Promise<string> => {
    const known = subjects.get(run);
    if (known !== undefined) return known;
    const found = await memory.query("select subject_id from muniment.run where run_id = $1", [
      run,
    ]);
    const subject = String(found.rows[0]?.subject_id);
    subjects.set(run, subject);
    return subject;
  };
  return {
    way,
    serve: () =>
      startService({
        dir: join(parent, "data"),
        environment: {
          MUNIMENT_DATABASE_URL: urlOf("memory", String(way.port)),
          MUNIMENT_CUSTODY_URL: urlOf("custody", String(way.port)),
          MUNIMENT_MASTER_KEY_FILE: masterKey,
        },
      }),
    rowsOf: async (run) => {
      const subject = await subjectOf(run);
      const rows = new Map<string, number>();
      for (const table of SUBJECT_TABLES.filter(
        (name) => !isKept(name) && name !== "idempotency",
      )) {
        const text = `select count(*)::int as n from muniment.${table} where subject_id = $1`;
        const n = (await memory.query<{ n: number }>(text, [subject])).rows[0]?.n ?? 0;
        if (n > 0) rows.set(table, n);
      }
      return rows;
    },
    subjectOf,
    count: async (text, values) =>
      (await memory.query<{ n: number }>(text, [...values])).rows[0]?.n ?? 0,
    expireLeases: async () => {
      await leftAlone(memory);
      await memory.query(
        "update muniment.work set lease_until = now() - interval '1 minute' where state = 'running'",
      );
      await memory.query(
        "update pgboss.job set started_on = started_on - interval '1 day' where state = 'active'",
      );
    },
    intents: async () =>
      (await custody.query<{ n: number }>("select count(*)::int as n from muniment_custody.ledger"))
        .rows[0]?.n ?? 0,
    stop: async () => {
      await Promise.all([memory.end(), custody.end(), root.end()]);
      await way.close();
      await postgres.stop();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}
