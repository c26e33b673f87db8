-- Turns: as conversation by their session's clock and epoch, as evidence by their own.
create table muniment.turn (
  tenant_id uuid not null,
  subject_id uuid not null,
  session_id uuid not null,
  seq bigint not null,
  turn_id uuid not null,
  workspace_id uuid not null,
  run_id uuid not null,
  route_id text not null,
  epoch integer not null,
  role text not null,
  speaker_id uuid,
  source_id uuid,
  revision bigint not null,
  observed_at timestamptz not null,
  recorded_at timestamptz not null,
  evidence_until timestamptz,
  content_sealed bytea not null,
  terms_sealed bytea not null,
  constraint turn_pk primary key (tenant_id, subject_id, session_id, seq),
  constraint turn_id_key unique (tenant_id, subject_id, turn_id),
  constraint turn_source_key unique (tenant_id, subject_id, source_id),
  constraint turn_session_fk foreign key (tenant_id, subject_id, session_id) references muniment.session (tenant_id, subject_id, session_id),
  constraint turn_role check (role in ('user', 'assistant', 'system', 'tool_call', 'tool_result'))
);

alter table muniment.turn enable row level security;

create policy base on muniment.turn as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.turn as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.turn as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.turn to muniment_app;

create index turn_revision_idx on muniment.turn (tenant_id, subject_id, revision);
