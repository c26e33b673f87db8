-- Runs that wait for a human, and why. A run has one open escalation at most: the one that has no answer yet.
alter table muniment.run drop constraint run_state;

alter table muniment.run add constraint run_state check (state in ('active', 'waiting', 'failed', 'completed', 'closed'));

create table muniment.escalation (
  tenant_id uuid not null,
  subject_id uuid not null,
  run_id uuid not null,
  escalation_id uuid not null,
  session_id uuid not null,
  raised_by text not null,
  raised_at timestamptz not null,
  reason_sealed bytea not null,
  answered_by uuid,
  answered_at timestamptz,
  answer_sealed bytea,
  constraint escalation_pk primary key (tenant_id, subject_id, run_id, escalation_id),
  constraint escalation_run_fk foreign key (tenant_id, subject_id, run_id) references muniment.run (tenant_id, subject_id, run_id)
);

alter table muniment.escalation enable row level security;

create policy base on muniment.escalation as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.escalation as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.escalation as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.escalation to muniment_app;
