-- Views: what is derived of a person as a whole, and made again when what it was made of goes.
create table muniment.view (
  tenant_id uuid not null,
  subject_id uuid not null,
  workspace_id uuid not null,
  view_id text not null,
  version bigint not null,
  revision bigint not null,
  depends uuid[] not null,
  computed_at timestamptz not null,
  body_sealed bytea not null,
  constraint view_pk primary key (tenant_id, subject_id, workspace_id, view_id)
);

alter table muniment.view enable row level security;

create policy base on muniment.view as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.view as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.view as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.view to muniment_app;
