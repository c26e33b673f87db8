import type { Permit } from "../../domain/permit.js";
import { subjectScope, tenantScope } from "../scope.js";
import { inTable, type Statement, sql } from "../sql.js";
import type { KnowingRun } from "./run-list-knowing.js";

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
const WRITTEN_AT = [
  "recorded_at",
  "created_at",
  "updated_at",
  "computed_at",
  "raised_at",
  "answered_at",
];

/** What is looked for in one table after something of a subject was forgotten. */
export interface Traces {
  /** Columns that name one of `ids`, alone or in a list; but for rows that say that they were written at `since` or later. */
  readonly columns: readonly string[];
  readonly ids: readonly string[];
  readonly since: Date;
  /** Whatever these runs wrote from when they knew, but for a run's contract. */
  readonly knowing: readonly KnowingRun[];
  /** True where every row is one. */
  readonly isWhole: boolean;
  /** Of what runs wrote, and of whole tables, what is younger may have come since, by another host's clock. */
  readonly until: Date;
}

/** Rows of the permit's subject in one table that are traces of what was forgotten. */
export function countOfTraces(permit: Permit, table: string, traces: Traces): Statement<Found> {
  const { tenant, subject } = subjectScope(permit);
  const { columns, ids, since, knowing, isWhole, until } = traces;
  const runs = knowing.map(({ runId }) => runId);
  const sinces = knowing.map((run) => run.since);
  // Looked up by key, however many they are.
  const named = JSON.stringify(Object.fromEntries(ids.map((id) => [id, true])));
  const inTurn = sql<Found>`
    with matching as (
      select t.subject_id from muniment.turn t
      cross join lateral (
        select max(case when w.key = any(${WRITTEN_AT}::text[]) then w.value::timestamptz end) as at
        from jsonb_each_text(to_jsonb(t)) as w (key, value)) as written
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and (
        (coalesce(written.at < ${since}::timestamptz, true) and exists (
          select 1 from jsonb_each(to_jsonb(t)) as named (key, value), jsonb_path_query(named.value, '$[*]') as id
          where named.key = any(${columns}::text[]) and ${named}::jsonb ? (id #>> '{}')))
        or (${isWhole}::boolean and written.at < ${until}::timestamptz)
        or (written.at < ${until}::timestamptz and to_jsonb(t) ->> 'class' is distinct from 'contract' and exists (
          select 1 from unnest(${runs}::uuid[], ${sinces}::timestamptz[]) as k (run_id, since)
          where to_jsonb(t) ->> 'run_id' = k.run_id::text and written.at >= k.since)))
    )
    select count(*) as found from matching`;
  return inTable(inTurn, "turn", table);
}
