-- What the subject's turns mean, by an embedding model: an option. A vector goes with its turn.
create table muniment.vector (
  tenant_id uuid not null,
  subject_id uuid not null,
  turn_id uuid not null,
  model text not null,
  revision bigint not null,
  recorded_at timestamptz not null,
  sealed bytea not null,
  constraint vector_pk primary key (tenant_id, subject_id, turn_id, model),
  constraint vector_turn_fk foreign key (tenant_id, subject_id, turn_id)
    references muniment.turn (tenant_id, subject_id, turn_id) on delete cascade
);

alter table muniment.vector enable row level security;

create policy base on muniment.vector as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.vector as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.vector as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.vector to muniment_app;

create index vector_revision_idx on muniment.vector (tenant_id, subject_id, model, revision, turn_id);
