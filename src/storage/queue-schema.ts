import PgBoss from "pg-boss";
import type { MigrationConnection } from "./migration-connection.js";
import { splitStatements } from "./split-statements.js";

/** The one queue: what a job is about stands in its row of `muniment.work`. */
export const QUEUE = "work";

/** Seconds after which a job whose worker vanished is handed out again: longer than the lease of its row. */
const EXPIRE_SECONDS = 900;

const OPTIONS = {
  policy: "standard",
  // How often a job is tried is decided by its row: the queue never gives up before that.
  retryLimit: 100,
  retryDelay: 5,
  retryBackoff: true,
  expireInSeconds: EXPIRE_SECONDS,
  retentionMinutes: 60 * 24 * 30,
};

const ROLE = `do $$ begin
    if not exists (select from pg_catalog.pg_roles where rolname = 'muniment_worker') then
      create role muniment_worker nologin noinherit;
    end if;
  exception when duplicate_object or unique_violation then null;
  end $$`;

/** The application may send and nothing else; who polls may do what the queue does, and nothing in the wall. */
const GRANTS: readonly string[] = [
  "grant usage on schema pgboss to muniment_app",
  "grant usage on schema pgboss to muniment_worker",
  "grant insert on pgboss.job to muniment_app",
  "grant select, insert, update, delete on pgboss.job to muniment_worker",
  "grant select, insert, update, delete on pgboss.archive to muniment_worker",
  "grant select on pgboss.queue to muniment_worker",
  "grant select, update on pgboss.version to muniment_worker",
];

/** Ends of a transaction of its own: the migrator's is open already. */
const OWN_TRANSACTION = /^\s*(begin|commit)\s*$/i;

/** Makes the queue's schema and queue where they are missing. Called by the owner, inside the migrator's transaction. */
export async function createQueue(connection: MigrationConnection): Promise<void> {
  if (await isThere(connection)) return;
  const { rows } = await connection.query(
    "select to_regclass('pgboss.version') is null as missing",
  );
  await connection.query(ROLE);
  if (rows[0]?.missing === true) {
    for (const statement of splitStatements(PgBoss.getConstructionPlans("pgboss")))
      if (!OWN_TRANSACTION.test(statement)) await connection.query(statement);
  }
  await connection.query("select pgboss.create_queue($1, $2::json)", [
    QUEUE,
    JSON.stringify(OPTIONS),
  ]);
  for (const grant of GRANTS) await connection.query(grant);
}

/** True where the last of the steps below was done: nothing is written then. */
async function isThere(connection: MigrationConnection): Promise<boolean> {
  const { rows } = await connection.query(
    `select exists (
      select from pg_catalog.pg_roles r, pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where r.rolname = 'muniment_worker' and n.nspname = 'pgboss' and c.relname = 'version'
        and pg_catalog.has_table_privilege(r.oid, c.oid, 'UPDATE')
    ) as there`,
  );
  return rows[0]?.there === true;
}
