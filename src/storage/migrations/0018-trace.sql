-- What a run did, one row each time it ended: for those who operate and evaluate, never for a prompt.
create table muniment.trace (
  tenant_id uuid not null,
  subject_id uuid not null,
  trace_id uuid not null,
  workspace_id uuid not null,
  session_id uuid not null,
  run_id uuid not null,
  route_id text not null,
  outcome text not null,
  terminal_reason text not null,
  stages text[] not null,
  recorded_at timestamptz not null,
  expires_at timestamptz not null,
  rolled_up_at timestamptz,
  facts_sealed bytea,
  prompts_sealed bytea,
  constraint trace_pk primary key (tenant_id, trace_id),
  constraint trace_run_fk foreign key (tenant_id, subject_id, run_id) references muniment.run (tenant_id, subject_id, run_id),
  constraint trace_outcome check (outcome in ('completed', 'failed', 'closed', 'waiting'))
);

alter table muniment.trace enable row level security;

create policy base on muniment.trace as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.trace as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.trace as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.trace to muniment_app;

create index trace_run_idx on muniment.trace (tenant_id, subject_id, run_id);

create index trace_expires_idx on muniment.trace (tenant_id, expires_at);

create index trace_recorded_idx on muniment.trace (tenant_id, recorded_at);
