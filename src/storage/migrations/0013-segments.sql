-- Sealed segments of the search index: derived from the turns of a stretch of revisions, and made again from them.
create table muniment.segment (
  tenant_id uuid not null,
  subject_id uuid not null,
  segment_id uuid not null,
  analyser integer not null,
  after_revision bigint not null,
  upto_revision bigint not null,
  purge_revision bigint not null,
  turns integer not null,
  evidence_until timestamptz not null,
  recorded_at timestamptz not null,
  sealed bytea not null,
  constraint segment_pk primary key (tenant_id, subject_id, segment_id),
  constraint segment_range_key unique (tenant_id, subject_id, analyser, upto_revision),
  constraint segment_subject_fk foreign key (tenant_id, subject_id) references muniment.subject (tenant_id, subject_id),
  constraint segment_range check (after_revision < upto_revision)
);

alter table muniment.segment enable row level security;

create policy base on muniment.segment as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.segment as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.segment as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, delete on muniment.segment to muniment_app;

create index segment_evidence_idx on muniment.segment (tenant_id, evidence_until);
