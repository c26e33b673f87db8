-- What was forgotten, and why. Nothing in these tables is content, or an id from outside.
create table muniment.erasure (
  tenant_id uuid not null,
  erasure_id uuid not null,
  subject_id uuid not null,
  key_id uuid,
  subject_mac text not null,
  reason text not null,
  basis text not null,
  scope text not null,
  target uuid not null,
  state text not null,
  requested_ref uuid,
  requested_at timestamptz not null,
  blocked_at timestamptz,
  closed_at timestamptz,
  removed jsonb not null,
  receipt jsonb,
  constraint erasure_pk primary key (tenant_id, erasure_id),
  constraint erasure_state check (state in ('open', 'blocked', 'closed'))
);

alter table muniment.erasure enable row level security;

create policy base on muniment.erasure as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.erasure as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.erasure as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update on muniment.erasure to muniment_app;

create index erasure_unfinished_idx on muniment.erasure (tenant_id, erasure_id) where state <> 'closed';

-- By what an import, a late write or a repeated request recognises what was forgotten. It names no subject: a new subject of
-- the same person is checked against it in its own scope.
create table muniment.tombstone (
  tenant_id uuid not null,
  kind text not null,
  item_mac bytea not null,
  erasure_id uuid not null,
  reason text not null,
  recorded_at timestamptz not null,
  expires_at timestamptz,
  constraint tombstone_pk primary key (tenant_id, kind, item_mac),
  constraint tombstone_kind check (kind in ('subject', 'source', 'content', 'request'))
);

alter table muniment.tombstone enable row level security;

create policy base on muniment.tombstone as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.tombstone as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

grant select, insert, update, delete on muniment.tombstone to muniment_app;

create index tombstone_expires_idx on muniment.tombstone (tenant_id, expires_at);

-- How far the database has followed the tenant's ledger in custody.
create table muniment.ledger_head (
  tenant_id uuid not null,
  seq bigint not null,
  mac text not null,
  constraint ledger_head_pk primary key (tenant_id)
);

alter table muniment.ledger_head enable row level security;

create policy base on muniment.ledger_head as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.ledger_head as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

grant select, insert, update on muniment.ledger_head to muniment_app;

-- A repeat of a request is recognised after its reply has gone with its subject.
alter table muniment.idempotency add column tombstone_mac bytea not null default ''::bytea;

-- What is erased is found by its subject, however many others there are.
create index idempotency_subject_idx on muniment.idempotency (tenant_id, subject_id);

create index pack_subject_idx on muniment.pack (tenant_id, subject_id);

create index work_subject_idx on muniment.work (tenant_id, subject_id);
