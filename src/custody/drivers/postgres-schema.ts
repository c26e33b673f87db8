/** What a new custody database gets, in one transaction. A header without a row is damage, never a new custody. */
export const CUSTODY_TABLES: readonly string[] = [
  `create table muniment_custody.header (
    one boolean not null default true,
    format integer not null,
    custody_id uuid not null,
    check_value bytea not null,
    created_at timestamptz not null,
    constraint header_pk primary key (one),
    constraint header_one check (one)
  )`,
  // A destroyed key leaves its row without the wrapped key: the name can't be given out again, whoever asks when.
  `create table muniment_custody.key (
    tenant_id uuid not null,
    subject_id text not null,
    key_id uuid not null,
    wrapped bytea,
    created_at timestamptz not null,
    destroyed_at timestamptz,
    constraint key_pk primary key (tenant_id, subject_id, key_id),
    constraint key_wrapped_or_destroyed check ((wrapped is null) = (destroyed_at is not null))
  )`,
];

/** What format 2 has beyond format 1. A tenant's head is also what its appends take turns by. */
export const LEDGER_TABLES: readonly string[] = [
  `create table muniment_custody.ledger_head (
    tenant_id uuid not null,
    seq integer not null,
    mac text not null,
    constraint ledger_head_pk primary key (tenant_id)
  )`,
  `create table muniment_custody.ledger (
    tenant_id uuid not null,
    seq integer not null,
    line text not null,
    mac text not null,
    constraint ledger_pk primary key (tenant_id, seq)
  )`,
];

// INVARIANT: a key is on the disk before any row is sealed with it, whatever the database's own default is.
const DURABLY = "set_config('synchronous_commit', 'on', true) = 'on'";

export const STATEMENTS = {
  // Read from the catalogue and not by `to_regclass`: that may still answer no from a cache of before the lock.
  hasTables: `select exists (
      select from pg_catalog.pg_class as c
      join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
      where n.nspname = 'muniment_custody' and c.relname = 'header'
    ) as present`,
  hasSchema: `select exists (
      select from pg_catalog.pg_namespace where nspname = 'muniment_custody'
    ) as present`,
  /** Five processes may open an empty database at once: one makes the custody, the others find it. */
  lock: "select pg_advisory_xact_lock(1836412515)",
  readHeader: "select format, custody_id, check_value from muniment_custody.header where one",
  insertHeader: `insert into muniment_custody.header (format, custody_id, check_value, created_at)
    select 2, $1, $2, $3 where ${DURABLY}`,
  setFormat: "update muniment_custody.header set format = 2 where one",
  /** Waits for a change of the master key that is under way, and then stores nothing that the old one wrapped. */
  putKey: `insert into muniment_custody.key (tenant_id, subject_id, key_id, wrapped, created_at)
    select $1, $2, $3, $4, $5 from muniment_custody.header
    where one and check_value = $6 and ${DURABLY}
    for share
    on conflict do nothing
    returning wrapped`,
  replaceKey: `update muniment_custody.key as k set wrapped = $5
    from (select from muniment_custody.header where one and check_value = $6 and ${DURABLY} for share) as h
    where k.tenant_id = $1 and k.subject_id = $2 and k.key_id = $3 and k.wrapped = $4
    returning k.wrapped`,
  isEmpty: "select not exists (select from muniment_custody.key) as empty",
  getKey: `select wrapped from muniment_custody.key
    where tenant_id = $1 and subject_id = $2 and key_id = $3`,
  destroyKey: `insert into muniment_custody.key (tenant_id, subject_id, key_id, created_at, destroyed_at)
    select $1, $2, $3, $4, $4 where ${DURABLY}
    on conflict (tenant_id, subject_id, key_id) do update
    set wrapped = null, destroyed_at = excluded.destroyed_at
    where key.wrapped is not null`,
  makeHead: `insert into muniment_custody.ledger_head (tenant_id, seq, mac)
    select $1, 0, '' where ${DURABLY}
    on conflict do nothing`,
  /** Whoever comes second waits here until the first has committed, and then reads the first one's head. */
  lockHead: "select seq, mac from muniment_custody.ledger_head where tenant_id = $1 for update",
  insertLines: `insert into muniment_custody.ledger (tenant_id, seq, line, mac)
    select $1, new.seq, new.line, new.mac
    from unnest($2::integer[], $3::text[], $4::text[]) as new (seq, line, mac)`,
  advanceHead: "update muniment_custody.ledger_head set seq = $2, mac = $3 where tenant_id = $1",
  readLines: `select seq, line as text, mac from muniment_custody.ledger
    where tenant_id = $1 and seq >= $2
    order by seq
    limit $3`,
  readHead: "select seq, mac from muniment_custody.ledger_head where tenant_id = $1",
  readLedgerTenants: `select tenant_id from muniment_custody.ledger_head
    where seq > 0
    order by tenant_id`,
} as const;
