-- Sessions and pinned runs.
create table muniment.session (
  tenant_id uuid not null,
  subject_id uuid not null,
  session_id uuid not null,
  workspace_id uuid not null,
  active_run_id uuid,
  state text not null,
  epoch integer not null,
  last_seq bigint not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  closed_at timestamptz,
  constraint session_pk primary key (tenant_id, subject_id, session_id),
  constraint session_subject_fk foreign key (tenant_id, subject_id) references muniment.subject (tenant_id, subject_id),
  constraint session_state check (state in ('open', 'closed'))
);

alter table muniment.session enable row level security;

create policy base on muniment.session as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.session as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.session as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.session to muniment_app;

create table muniment.run (
  tenant_id uuid not null,
  subject_id uuid not null,
  run_id uuid not null,
  workspace_id uuid not null,
  session_id uuid not null,
  parent_run_id uuid,
  route_id text not null,
  route_version integer not null,
  profile jsonb not null,
  profile_hash text not null,
  state text not null,
  failure_code text,
  version bigint not null,
  resume_index integer not null,
  goal_sealed bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint run_pk primary key (tenant_id, run_id),
  constraint run_subject_key unique (tenant_id, subject_id, run_id),
  constraint run_session_fk foreign key (tenant_id, subject_id, session_id) references muniment.session (tenant_id, subject_id, session_id),
  constraint run_route_fk foreign key (tenant_id, route_id, route_version) references muniment.route (tenant_id, route_id, version),
  constraint run_state check (state in ('active', 'failed', 'completed', 'closed'))
);

alter table muniment.run enable row level security;

create policy base on muniment.run as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.run as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.run as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.run to muniment_app;

create index run_session_idx on muniment.run (tenant_id, subject_id, session_id, created_at);
