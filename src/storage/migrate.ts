import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "../domain/clock.js";
import type { MigrationConnection } from "./migration-connection.js";
import { createQueue } from "./queue-schema.js";
import { splitStatements } from "./split-statements.js";

const FOLDER = new URL("./migrations/", import.meta.url);
const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;

/** Serialises migrators of one database. Taken inside each transaction, so a transaction-mode pooler works. */
const LOCK = 7_706_864_001;

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  readonly sha256: string;
}

/** A database that these migrations don't lead to: newer, changed or with a gap. Nothing was changed in it. */
export class MigrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MigrationError";
  }
}

/** The numbered files of `migrations/`, in order. Line ends don't count for the hash. */
export function readMigrations(folder: URL = FOLDER): readonly Migration[] {
  const names = readdirSync(folder)
    .filter((name) => FILE_NAME.test(name))
    .sort();
  return names.map((name, index) => {
    const text = readFileSync(new URL(name, folder), "utf8").replaceAll("\r\n", "\n");
    const number = Number(name.slice(0, 4));
    if (number !== index + 1) throw new MigrationError(`migration files have a gap before ${name}`);
    return { number, name, text, sha256: createHash("sha256").update(text).digest("hex") };
  });
}

// A role belongs to the whole server: migrators of other databases, which hold other locks, may create it too.
const PREPARE: readonly string[] = [
  "create schema if not exists muniment",
  `create table if not exists muniment.migration (
    number integer not null,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null,
    constraint migration_pk primary key (number)
  )`,
  `do $$ begin
    if not exists (select from pg_catalog.pg_roles where rolname = 'muniment_app') then
      create role muniment_app nologin noinherit;
    end if;
  exception when duplicate_object or unique_violation then null;
  end $$`,
  // The service sees for itself whether it fits the database.
  "grant select on muniment.migration to muniment_app",
];

async function locked<R>(connection: MigrationConnection, body: () => Promise<R>): Promise<R> {
  await connection.query("begin");
  try {
    await connection.query("select pg_advisory_xact_lock($1)", [LOCK]);
    const result = await body();
    await connection.query("commit");
    return result;
  } catch (error) {
    // The first error tells more than a rollback on a broken connection.
    await connection.query("rollback").catch(() => undefined);
    throw error;
  }
}

type AppliedRows = readonly Readonly<Record<string, unknown>>[];

function toApplied(rows: AppliedRows): ReadonlyMap<number, string> {
  return new Map(rows.map((row) => [Number(row.number), String(row.sha256)]));
}

async function readApplied(connection: MigrationConnection): Promise<ReadonlyMap<number, string>> {
  const found = await connection.query(
    "select number, sha256 from muniment.migration order by number",
  );
  return toApplied(found.rows);
}

function refuseStrange(
  applied: ReadonlyMap<number, string>,
  migrations: readonly Migration[],
): void {
  for (const number of applied.keys()) {
    if (number > migrations.length) {
      throw new MigrationError(
        `the database has migration ${number}, this version knows ${migrations.length}: it was migrated by a newer version`,
      );
    }
  }
  for (const { number, name, sha256 } of migrations) {
    const recorded = applied.get(number);
    if (recorded === undefined && number <= applied.size) {
      throw new MigrationError(`the database lacks migration ${name} but has a later one`);
    }
    if (recorded !== undefined && recorded !== sha256) {
      throw new MigrationError(`migration ${name} was changed after it was applied`);
    }
  }
}

/** What stands between a database with these applied migrations (number, sha256) and this version. Empty is a fit. */
export function migrationFindings(
  rows: AppliedRows,
  migrations: readonly Migration[] = readMigrations(),
): readonly string[] {
  const applied = toApplied(rows);
  try {
    refuseStrange(applied, migrations);
  } catch (error) {
    if (error instanceof MigrationError) return [error.message];
    throw error;
  }
  const missing = migrations.filter(({ number }) => !applied.has(number));
  return missing.map(
    ({ name }) => `the database lacks migration ${name}: bring it forward with muniment upgrade`,
  );
}

/**
 * Brings a database forward; nothing to do is fine, and so are several processes at once and a crash at any statement.
 * Answers the names of the migrations that this call applied.
 */
export async function migrate(
  connection: MigrationConnection,
  clock: Clock,
  migrations: readonly Migration[] = readMigrations(),
): Promise<readonly string[]> {
  await locked(connection, async () => {
    for (const statement of PREPARE) await connection.query(statement);
    refuseStrange(await readApplied(connection), migrations);
  });
  const names: string[] = [];
  for (const { number, name, text, sha256 } of migrations) {
    await locked(connection, async () => {
      const applied = await readApplied(connection);
      refuseStrange(applied, migrations);
      if (applied.has(number)) return;
      await connection.query(
        "insert into muniment.migration (number, name, sha256, applied_at) values ($1, $2, $3, $4)",
        [number, name, sha256, clock.now().toISOString()],
      );
      for (const statement of splitStatements(text)) await connection.query(statement);
      names.push(name);
    });
  }
  await locked(connection, () => createQueue(connection));
  return names;
}
