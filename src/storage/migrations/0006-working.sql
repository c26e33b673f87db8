-- Working memory and the loop's checkpoint, by run.
create table muniment.working (
  tenant_id uuid not null,
  subject_id uuid not null,
  run_id uuid not null,
  class text not null,
  item_key text not null,
  session_id uuid not null,
  seq bigint not null,
  version integer not null,
  value_sealed bytea not null,
  recorded_at timestamptz not null,
  expires_at timestamptz,
  constraint working_pk primary key (tenant_id, subject_id, run_id, class, item_key),
  constraint working_run_fk foreign key (tenant_id, subject_id, run_id) references muniment.run (tenant_id, subject_id, run_id),
  constraint working_class check (class in ('contract', 'criterion', 'artifact', 'failure', 'question', 'slot', 'note', 'scratch'))
);

alter table muniment.working enable row level security;

create policy base on muniment.working as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.working as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.working as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.working to muniment_app;

create table muniment.checkpoint (
  tenant_id uuid not null,
  subject_id uuid not null,
  run_id uuid not null,
  session_id uuid not null,
  checkpoint_id uuid not null,
  step integer not null,
  resume_index integer not null,
  value_sealed bytea not null,
  recorded_at timestamptz not null,
  constraint checkpoint_pk primary key (tenant_id, subject_id, run_id),
  constraint checkpoint_run_fk foreign key (tenant_id, subject_id, run_id) references muniment.run (tenant_id, subject_id, run_id)
);

alter table muniment.checkpoint enable row level security;

create policy base on muniment.checkpoint as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.checkpoint as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.checkpoint as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.checkpoint to muniment_app;
