-- Observations: what turns of one route say about the person, with the turns. Immutable: a correction is a later row that names
-- the one it corrects.
create table muniment.observation (
  tenant_id uuid not null,
  subject_id uuid not null,
  observation_id uuid not null,
  workspace_id uuid not null,
  session_id uuid not null,
  run_id uuid not null,
  route_id text not null,
  dimension_id text not null,
  basis text not null,
  tier text not null,
  is_safety boolean not null,
  turn_ids uuid[] not null,
  speaker_id uuid,
  supersedes uuid,
  content_mac bytea not null,
  revision bigint not null,
  observed_at timestamptz not null,
  recorded_at timestamptz not null,
  expires_at timestamptz not null,
  body_sealed bytea not null,
  terms_sealed bytea not null,
  constraint observation_pk primary key (tenant_id, subject_id, observation_id),
  constraint observation_content_key unique (tenant_id, subject_id, workspace_id, content_mac),
  constraint observation_run_fk foreign key (tenant_id, subject_id, run_id) references muniment.run (tenant_id, subject_id, run_id),
  constraint observation_basis check (basis in ('quoted', 'generated')),
  constraint observation_tier check (tier in ('reported', 'inferred')),
  constraint observation_turns check (cardinality(turn_ids) > 0)
);

alter table muniment.observation enable row level security;

create policy base on muniment.observation as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.observation as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.observation as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

-- No update: nobody changes what was observed.
grant select, insert, delete on muniment.observation to muniment_app;

create index observation_revision_idx on muniment.observation (tenant_id, subject_id, revision);

create index observation_expires_idx on muniment.observation (tenant_id, expires_at);

-- What a tenant has observed beside the dimensions that every tenant has.
create table muniment.dimension (
  tenant_id uuid not null,
  dimension_id text not null,
  version integer not null,
  definition jsonb not null,
  author_ref uuid not null,
  author_sealed bytea not null,
  reason text not null,
  recorded_at timestamptz not null,
  constraint dimension_pk primary key (tenant_id, dimension_id, version)
);

alter table muniment.dimension enable row level security;

create policy base on muniment.dimension as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.dimension as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

grant select, insert on muniment.dimension to muniment_app;

-- Tokens that a tenant's questions to a model took, by day and task. What a question may take is reserved before it is asked.
create table muniment.model_usage (
  tenant_id uuid not null,
  day date not null,
  task text not null,
  calls bigint not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  tokens_reserved bigint not null,
  constraint model_usage_pk primary key (tenant_id, day, task)
);

alter table muniment.model_usage enable row level security;

create policy base on muniment.model_usage as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.model_usage as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

grant select, insert, update on muniment.model_usage to muniment_app;

-- The last epoch of the session's conversation that was given to observation.
alter table muniment.session add column observed_epoch integer not null default 0;
