import type { Check } from "./catalogue-check.js";

const IN_QUEUE = `
  select c.oid, n.nspname || '.' || c.relname as subject, c.relname from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'pgboss' and c.relkind in ('r', 'p')`;

/** The queue stands outside the wall: who is in the wall may only send to it, and who works in it reaches nothing inside. */
export const QUEUE: readonly Check[] = [
  {
    finding: "is missing: migrate the database first",
    text: `select 'the job queue' as subject where not exists (
      select from (${IN_QUEUE}) q where q.relname = 'job')`,
  },
  {
    finding: "lets the application role do more than send jobs",
    text: `select q.subject from (${IN_QUEUE}) q, pg_catalog.pg_roles r where r.rolname = 'muniment_app'
      and (pg_catalog.has_table_privilege(r.oid, q.oid, 'SELECT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
        or (q.relname <> 'job' and pg_catalog.has_table_privilege(r.oid, q.oid, 'INSERT')))`,
  },
  {
    finding: "lets the queue's role into memory",
    text: `select n.nspname || '.' || c.relname as subject from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace, pg_catalog.pg_roles r
      where n.nspname = 'muniment' and c.relkind in ('r', 'p', 'v', 'm', 'f') and r.rolname = 'muniment_worker'
        and pg_catalog.has_table_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')`,
  },
  {
    finding: "may log in, is a superuser or bypasses row-level security",
    text: `select 'role muniment_worker' as subject from pg_catalog.pg_roles where rolname = 'muniment_worker'
      and (rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb)`,
  },
];
