import type { Check } from "./catalogue-check.js";
import { QUEUE } from "./queue-check.js";

/** Runs one catalogue query. */
export type CatalogueQuery = (
  text: string,
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

// Ours, and whatever else the application role was let into; the queue keeps its own house.
const TABLES = `
  select c.oid, n.nspname, c.relname, n.nspname || '.' || c.relname as subject, c.relkind, c.relowner, c.relrowsecurity,
    c.relforcerowsecurity, c.reloptions
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
    and n.nspname not in ('pg_catalog', 'information_schema', 'pgboss')
    and (n.nspname = 'muniment' or exists (
      select from pg_catalog.aclexplode(c.relacl) a join pg_catalog.pg_roles r on r.oid = a.grantee
      where r.rolname = 'muniment_app'))`;

// The three tables outside the wall: names of tenants, the custody's id, the migrator's record.
const WALLED = `
  select * from (${TABLES}) t
  where t.relkind in ('r', 'p') and not (t.nspname = 'muniment' and t.relname in ('tenant', 'deployment', 'migration'))`;

const restrictive = (name: string): string => `
  select from pg_catalog.pg_policies p
  where p.schemaname = t.nspname and p.tablename = t.relname and p.policyname = '${name}'
    and p.permissive = 'RESTRICTIVE' and p.cmd = 'ALL' and p.roles && '{muniment_app,public}'::name[]`;

const SUBJECT_WALL = "((subject_id = muniment.subject()) OR muniment.tenant_wide())";

const WALL: readonly Check[] = [
  {
    finding: "has no row-level security",
    text: `select t.subject from (${WALLED}) t where not t.relrowsecurity`,
  },
  {
    finding: "forces row-level security, which stops shard moves",
    text: `select t.subject from (${TABLES}) t where t.relforcerowsecurity`,
  },
  {
    finding: "has no tenant_wall for all commands, USING and WITH CHECK",
    text: `select t.subject from (${WALLED}) t where not exists (${restrictive("tenant_wall")}
      and p.qual = '(tenant_id = muniment.tenant())' and p.with_check = p.qual)`,
  },
  {
    finding: "is personal and has no subject_wall for all commands, USING and WITH CHECK",
    text: `select t.subject from (${WALLED}) t
      where exists (select from pg_catalog.pg_attribute a where a.attrelid = t.oid and a.attname = 'subject_id' and not a.attisdropped)
        and not exists (${restrictive("subject_wall")} and p.qual = '${SUBJECT_WALL}' and p.with_check = p.qual)`,
  },
  {
    finding: "is a view without security_invoker",
    text: `select t.subject from (${TABLES}) t where t.relkind = 'v'
      and not coalesce(t.reloptions && '{security_invoker=true,security_invoker=on,security_invoker=1}'::text[], false)`,
  },
  {
    finding: "is a materialised or foreign table, which passes row-level security by",
    text: `select t.subject from (${TABLES}) t where t.relkind in ('m', 'f')`,
  },
];

const KEYS: readonly Check[] = [
  {
    finding: "is an index that tenant_id doesn't lead",
    text: `select i.indexrelid::pg_catalog.regclass::text as subject
      from (${WALLED}) t join pg_catalog.pg_index i on i.indrelid = t.oid
      left join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
      where a.attname is distinct from 'tenant_id'`,
  },
  {
    finding: "is a foreign key that tenant_id doesn't lead",
    text: `select t.subject || ' ' || k.conname as subject
      from (${WALLED}) t join pg_catalog.pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
      left join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
      left join pg_catalog.pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[1]
      where a.attname is distinct from 'tenant_id' or b.attname is distinct from 'tenant_id'`,
  },
  {
    finding: "is a foreign key that sets null or a default",
    text: `select t.subject || ' ' || k.conname as subject
      from (${WALLED}) t join pg_catalog.pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
      where k.confdeltype in ('n', 'd') or k.confupdtype in ('n', 'd')`,
  },
  {
    finding: "has a trigger",
    text: `select t.subject || ' ' || g.tgname as subject from (${TABLES}) t
      join pg_catalog.pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal`,
  },
  {
    finding: "is a SECURITY DEFINER function",
    text: `select p.oid::pg_catalog.regprocedure::text as subject from pg_catalog.pg_proc p
      join pg_catalog.pg_namespace n on n.oid = p.pronamespace where n.nspname = 'muniment' and p.prosecdef`,
  },
];

const APPLICATION_ROLE: readonly Check[] = [
  {
    finding: "does not exist",
    text: `select 'role muniment_app' as subject
      where not exists (select from pg_catalog.pg_roles where rolname = 'muniment_app')`,
  },
  {
    finding:
      "may log in, is a superuser, bypasses row-level security, or creates roles or databases",
    text: `select 'role muniment_app' as subject from pg_catalog.pg_roles where rolname = 'muniment_app'
      and (rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb)`,
  },
  {
    finding: "is a member of another role",
    text: `select 'role muniment_app' as subject from pg_catalog.pg_auth_members m
      join pg_catalog.pg_roles r on r.oid = m.member where r.rolname = 'muniment_app'`,
  },
  {
    finding: "is owned by the application role",
    text: `select t.subject from (${TABLES}) t join pg_catalog.pg_roles r on r.oid = t.relowner where r.rolname = 'muniment_app'
      union all select 'schema ' || n.nspname from pg_catalog.pg_namespace n
        join pg_catalog.pg_roles r on r.oid = n.nspowner where r.rolname = 'muniment_app'
      union all select p.oid::pg_catalog.regprocedure::text from pg_catalog.pg_proc p
        join pg_catalog.pg_roles r on r.oid = p.proowner where r.rolname = 'muniment_app'`,
  },
  {
    finding: "may be truncated, referenced or triggered on by the application role",
    text: `select t.subject from (${TABLES}) t, pg_catalog.pg_roles r where r.rolname = 'muniment_app'
      and pg_catalog.has_table_privilege(r.oid, t.oid, 'TRUNCATE, REFERENCES, TRIGGER')`,
  },
  {
    finding: "may be changed or deleted by the application role",
    text: `select t.subject from (${TABLES}) t, pg_catalog.pg_roles r
      where r.rolname = 'muniment_app' and t.subject = 'muniment.audit'
      and pg_catalog.has_table_privilege(r.oid, t.oid, 'UPDATE, DELETE')`,
  },
  {
    finding: "lets the application role create things in it",
    text: `select 'schema muniment' as subject from pg_catalog.pg_roles r where r.rolname = 'muniment_app'
      and pg_catalog.has_schema_privilege(r.oid, 'muniment', 'CREATE')`,
  },
];

// Warnings for the operator: each is right on a laptop and wrong in a bank.
const LOGIN: readonly Check[] = [
  {
    finding: "is a superuser or bypasses row-level security",
    text: "select 'this login' as subject from pg_catalog.pg_roles where rolname = session_user and (rolsuper or rolbypassrls)",
  },
  {
    finding: "owns tables: use the migration's URL for migrations alone",
    text: `select 'this login' as subject where exists (
      select from (${TABLES}) t join pg_catalog.pg_roles r on r.oid = t.relowner where r.rolname = session_user)`,
  },
  {
    finding: "inherits the application role's rights without taking the role",
    text: `select 'this login' as subject from pg_catalog.pg_roles r where r.rolname = session_user and not r.rolsuper
      and pg_catalog.pg_has_role(r.oid, 'muniment_app', 'USAGE')`,
  },
];

async function run(query: CatalogueQuery, checks: readonly Check[]): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const { finding, text } of checks) {
    for (const row of await query(text)) findings.push(`${String(row.subject)} ${finding}`);
  }
  return findings.sort();
}

/** What stands in the catalogue against the rules of the wall. Empty is sound; otherwise the service must not serve. */
export function checkCatalogue(query: CatalogueQuery): Promise<readonly string[]> {
  return run(query, [...WALL, ...KEYS, ...APPLICATION_ROLE, ...QUEUE]);
}

/** What is wrong with the login itself. Not for PGlite, whose one login is a superuser by nature. */
export function checkLogin(query: CatalogueQuery): Promise<readonly string[]> {
  return run(query, LOGIN);
}
