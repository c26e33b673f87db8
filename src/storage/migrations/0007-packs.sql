-- Assembled packs: references, reasons and hashes, no text.
create table muniment.pack (
  tenant_id uuid not null,
  subject_id uuid not null,
  pack_id uuid not null,
  workspace_id uuid not null,
  session_id uuid not null,
  run_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revision bigint not null,
  purge_revision bigint not null,
  tokens integer not null,
  tokens_max integer not null,
  content_mac bytea not null,
  manifest jsonb not null,
  constraint pack_pk primary key (tenant_id, pack_id)
);

alter table muniment.pack enable row level security;

create policy base on muniment.pack as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.pack as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.pack as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, delete on muniment.pack to muniment_app;
