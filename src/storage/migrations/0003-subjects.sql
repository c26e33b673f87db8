-- Subjects and the one place of every external id.
create table muniment.subject (
  tenant_id uuid not null,
  subject_id uuid not null,
  key_id uuid not null,
  state text not null,
  revision bigint not null,
  purge_revision bigint not null,
  created_at timestamptz not null,
  constraint subject_pk primary key (tenant_id, subject_id),
  constraint subject_state check (state in ('active', 'ended'))
);

alter table muniment.subject enable row level security;

create policy base on muniment.subject as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.subject as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.subject as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.subject to muniment_app;

create table muniment.external_id (
  tenant_id uuid not null,
  kind text not null,
  lookup bytea not null,
  subject_id uuid not null,
  internal_id uuid not null,
  sealed bytea not null,
  constraint external_id_pk primary key (tenant_id, kind, lookup),
  constraint external_id_internal_key unique (tenant_id, subject_id, internal_id),
  constraint external_id_subject_fk foreign key (tenant_id, subject_id) references muniment.subject (tenant_id, subject_id),
  constraint external_id_kind check (kind in ('subject', 'session', 'speaker', 'source'))
);

alter table muniment.external_id enable row level security;

create policy base on muniment.external_id as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.external_id as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.external_id as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, delete on muniment.external_id to muniment_app;
