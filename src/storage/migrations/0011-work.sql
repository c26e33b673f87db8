-- What jobs are about. The queue itself holds ids alone and stands outside the wall.
create table muniment.work (
  tenant_id uuid not null,
  work_id uuid not null,
  kind text not null,
  subject_id uuid not null,
  workspace_id uuid not null,
  session_id uuid,
  detail jsonb not null,
  state text not null,
  attempts integer not null,
  problem text,
  lease_until timestamptz,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  constraint work_pk primary key (tenant_id, work_id),
  constraint work_session_fk foreign key (tenant_id, subject_id, session_id) references muniment.session (tenant_id, subject_id, session_id),
  constraint work_state check (state in ('queued', 'running', 'done', 'parked'))
);

alter table muniment.work enable row level security;

create policy base on muniment.work as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.work as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.work as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.work to muniment_app;

create index work_state_idx on muniment.work (tenant_id, state, changed_at);

-- The last epoch of the session's conversation that was given to compression.
alter table muniment.session add column compressed_epoch integer not null default 0;
