-- Episodes: what a session came to, by source route. Dated, and read by recall alone.
create table muniment.episode (
  tenant_id uuid not null,
  subject_id uuid not null,
  episode_id uuid not null,
  workspace_id uuid not null,
  session_id uuid not null,
  run_id uuid not null,
  route_id text not null,
  data_class text,
  origin text not null,
  outcome text not null,
  unpromoted boolean not null,
  turn_ids uuid[] not null,
  revision bigint not null,
  observed_at timestamptz not null,
  recorded_at timestamptz not null,
  expires_at timestamptz not null,
  summary_sealed bytea not null,
  terms_sealed bytea not null,
  constraint episode_pk primary key (tenant_id, subject_id, episode_id),
  constraint episode_run_fk foreign key (tenant_id, subject_id, run_id) references muniment.run (tenant_id, subject_id, run_id),
  constraint episode_origin check (origin in ('session_close', 'append')),
  constraint episode_outcome check (outcome in ('completed', 'failed', 'closed'))
);

alter table muniment.episode enable row level security;

create policy base on muniment.episode as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.episode as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.episode as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.episode to muniment_app;

create index episode_revision_idx on muniment.episode (tenant_id, subject_id, revision);

create index episode_expires_idx on muniment.episode (tenant_id, expires_at);
