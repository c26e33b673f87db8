-- Workspaces and routes: the tenant's own, not personal.
create table muniment.workspace (
  tenant_id uuid not null,
  workspace_id uuid not null,
  name text not null,
  created_at timestamptz not null,
  constraint workspace_pk primary key (tenant_id, workspace_id),
  constraint workspace_name_key unique (tenant_id, name)
);

alter table muniment.workspace enable row level security;

create policy base on muniment.workspace as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.workspace as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

grant select, insert on muniment.workspace to muniment_app;

create table muniment.route (
  tenant_id uuid not null,
  route_id text not null,
  version integer not null,
  definition jsonb not null,
  profile_hash text not null,
  author_ref uuid not null,
  author_sealed bytea not null,
  reason text not null,
  created_at timestamptz not null,
  constraint route_pk primary key (tenant_id, route_id, version)
);

alter table muniment.route enable row level security;

create policy base on muniment.route as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.route as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

grant select, insert on muniment.route to muniment_app;
