import type { Permit } from "../../domain/permit.js";
import { subjectScope, tenantScope } from "../scope.js";
import { inTable, type Statement, sql } from "../sql.js";

export interface StoreColumns {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface Found {
  readonly found: number;
}

/** Every table of the schema that the application role can read, as the catalogue has it: one that is new is searched too. */
export function listStores(): Statement<StoreColumns> {
  return sql<StoreColumns>`
    select c.relname as "table", array_agg(a.attname::text order by a.attname) as columns
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname = 'muniment' and c.relkind in ('r', 'p') and pg_catalog.has_table_privilege(c.oid, 'select')
    group by c.relname
    order by c.relname`;
}

/** Rows of the permit's subject in one table. */
export function countOfSubject(permit: Permit, table: string): Statement<Found> {
  const { tenant, subject } = subjectScope(permit);
  const inTurn = sql<Found>`
    with matching as (
      select subject_id from muniment.turn where tenant_id = ${tenant} and subject_id = ${subject}
    )
    select count(*) as found from matching`;
  return inTable(inTurn, "turn", table);
}

/** Rows of one table of the tenant in which a text stands as it is, or its bytes in a column of bytes. */
export function countOfText(permit: Permit, table: string, text: string): Statement<Found> {
  const { tenant } = tenantScope(permit);
  const bytes = Buffer.from(text, "utf8").toString("hex");
  const inTurn = sql<Found>`
    with matching as (
      select t.tenant_id from muniment.turn t
      where t.tenant_id = ${tenant} and (position(${text}::text in t::text) > 0 or position(${bytes}::text in t::text) > 0)
    )
    select count(*) as found from matching`;
  return inTable(inTurn, "turn", table);
}

/** Columns that say when a row was written. */
const WRITTEN_AT = ["recorded_at", "created_at", "updated_at"];

/**
 * Rows of the permit's subject in one table that name an id in one of these columns, alone or in a list; but for those that
 * say that they were written at `since` or later.
 */
export function countOfId(
  permit: Permit,
  table: string,
  columns: readonly string[],
  id: string,
  since: Date,
): Statement<Found> {
  const { tenant, subject } = subjectScope(permit);
  const inTurn = sql<Found>`
    with matching as (
      select t.subject_id from muniment.turn t
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and exists (
        select 1 from jsonb_each(to_jsonb(t)) as named (key, value)
        where named.key = any(${columns}::text[]) and named.value ? ${id}::text)
        and not exists (
          select 1 from jsonb_each_text(to_jsonb(t)) as written (key, value)
          where case when written.key = any(${WRITTEN_AT}::text[])
            then written.value::timestamptz >= ${since}::timestamptz else false end)
    )
    select count(*) as found from matching`;
  return inTable(inTurn, "turn", table);
}
