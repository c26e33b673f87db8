-- What connectors say of a subject: one row a revision of a source's record. Rows never change; a later revision is another row.
create table muniment.event (
  tenant_id uuid not null,
  subject_id uuid not null,
  event_id uuid not null,
  workspace_id uuid not null,
  source_id uuid not null,
  source_revision bigint not null,
  kind text not null,
  is_withdrawn boolean not null,
  key_mac bytea not null,
  content_mac bytea not null,
  speaker_id uuid,
  observer_id uuid,
  revision bigint not null,
  effective_at timestamptz not null,
  recorded_at timestamptz not null,
  expires_at timestamptz,
  body_sealed bytea not null,
  constraint event_pk primary key (tenant_id, subject_id, event_id),
  constraint event_source_key unique (tenant_id, subject_id, source_id, source_revision),
  constraint event_kind check (kind in ('measurement', 'report', 'inference'))
);

alter table muniment.event enable row level security;

create policy base on muniment.event as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.event as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.event as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.event to muniment_app;

create index event_revision_idx on muniment.event (tenant_id, subject_id, workspace_id, revision);

create index event_expires_idx on muniment.event (tenant_id, expires_at) where expires_at is not null;
