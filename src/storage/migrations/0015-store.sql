-- The store: field definitions, candidates, the log of promotions, and the values that they wrote.
create table muniment.field (
  tenant_id uuid not null,
  field_id text not null,
  version integer not null,
  definition jsonb not null,
  author_ref uuid not null,
  author_sealed bytea not null,
  reason text not null,
  created_at timestamptz not null,
  constraint field_pk primary key (tenant_id, field_id, version)
);

alter table muniment.field enable row level security;

create policy base on muniment.field as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.field as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

grant select, insert on muniment.field to muniment_app;

create table muniment.candidate (
  tenant_id uuid not null,
  candidate_id uuid not null,
  subject_id uuid not null,
  workspace_id uuid not null,
  field_id text not null,
  definition_version integer not null,
  session_key uuid not null,
  run_id uuid,
  route_id text,
  origin text not null,
  state text not null,
  value_sealed bytea not null,
  value_hash bytea not null,
  removed boolean not null,
  evidence uuid[] not null,
  proposer_ref uuid not null,
  proposer_sealed bytea not null,
  approver_ref uuid,
  approver_sealed bytea,
  decided_ref uuid,
  created_at timestamptz not null,
  decided_at timestamptz,
  expires_at timestamptz not null,
  constraint candidate_pk primary key (tenant_id, candidate_id),
  constraint candidate_subject_key unique (tenant_id, subject_id, candidate_id),
  constraint candidate_subject_fk foreign key (tenant_id, subject_id) references muniment.subject (tenant_id, subject_id),
  constraint candidate_field_fk foreign key (tenant_id, field_id, definition_version) references muniment.field (tenant_id, field_id, version),
  constraint candidate_state check (state in ('open', 'quarantined', 'promoted', 'rejected'))
);

alter table muniment.candidate enable row level security;

create policy base on muniment.candidate as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.candidate as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.candidate as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.candidate to muniment_app;

-- Of one proposal from one kind of source one waits: repeating it gains nothing.
create unique index candidate_waiting_key on muniment.candidate
  (tenant_id, subject_id, workspace_id, field_id, session_key, origin, value_hash) where state in ('open', 'quarantined');

create index candidate_state_idx on muniment.candidate (tenant_id, workspace_id, state, candidate_id);

-- Append-only, as the audit trail is. Hashes and references, no value.
create table muniment.promotion (
  tenant_id uuid not null,
  subject_id uuid not null,
  promotion_id uuid not null,
  workspace_id uuid not null,
  field_id text not null,
  definition_version integer not null,
  session_key uuid not null,
  version integer not null,
  old_version integer,
  old_hash bytea,
  new_hash bytea not null,
  path text not null,
  rule text not null,
  source text not null,
  candidate_id uuid not null,
  reverts uuid,
  actor_ref uuid not null,
  actor_kind text not null,
  actor_sealed bytea not null,
  approver_ref uuid,
  run_id uuid,
  policy_ids text[] not null,
  policy_set text not null,
  recorded_at timestamptz not null,
  constraint promotion_pk primary key (tenant_id, subject_id, promotion_id),
  constraint promotion_hash_key unique (tenant_id, subject_id, promotion_id, new_hash),
  constraint promotion_version_key unique (tenant_id, subject_id, workspace_id, field_id, session_key, version),
  constraint promotion_path check (path in ('human', 'evaluator', 'reconcile'))
);

alter table muniment.promotion enable row level security;

create policy base on muniment.promotion as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.promotion as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.promotion as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert on muniment.promotion to muniment_app;

-- A value without a row of the log, or with another hash than that row's, can't be written: the key below refuses it.
create table muniment.field_value (
  tenant_id uuid not null,
  subject_id uuid not null,
  workspace_id uuid not null,
  field_id text not null,
  session_key uuid not null,
  version integer not null,
  promotion_id uuid not null,
  candidate_id uuid not null,
  definition_version integer not null,
  value_sealed bytea not null,
  value_hash bytea not null,
  removed boolean not null,
  source text not null,
  run_id uuid,
  updated_at timestamptz not null,
  expires_at timestamptz,
  constraint field_value_pk primary key (tenant_id, subject_id, workspace_id, field_id, session_key, version),
  constraint field_value_subject_fk foreign key (tenant_id, subject_id) references muniment.subject (tenant_id, subject_id),
  constraint field_value_promotion_fk foreign key (tenant_id, subject_id, promotion_id, value_hash)
    references muniment.promotion (tenant_id, subject_id, promotion_id, new_hash)
);

alter table muniment.field_value enable row level security;

create policy base on muniment.field_value as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.field_value as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.field_value as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, delete on muniment.field_value to muniment_app;
