-- Stored replies and the append-only audit trail.
create table muniment.idempotency (
  tenant_id uuid not null,
  principal_ref uuid not null,
  operation text not null,
  key_mac bytea not null,
  subject_id uuid,
  request_mac bytea not null,
  reply_sealed bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint idempotency_pk primary key (tenant_id, principal_ref, operation, key_mac)
);

alter table muniment.idempotency enable row level security;

create policy base on muniment.idempotency as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.idempotency as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.idempotency as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update, delete on muniment.idempotency to muniment_app;

create table muniment.audit (
  tenant_id uuid not null,
  audit_id uuid not null,
  recorded_at timestamptz not null,
  operation text not null,
  verdict text not null,
  refusal text,
  principal_ref uuid not null,
  principal_kind text not null,
  policy_ids text[] not null,
  policy_set text not null,
  subject_id uuid,
  workspace_id uuid,
  session_id uuid,
  run_id uuid,
  route_id text,
  route_version integer,
  memory_profile jsonb,
  isolation_keys text[] not null,
  memory_reads jsonb not null,
  memory_writes jsonb not null,
  memory_pack_id uuid,
  ttl_policy jsonb not null,
  prompt_memory_tokens integer,
  foreign_ref text,
  request_id text not null,
  constraint audit_pk primary key (tenant_id, audit_id),
  constraint audit_verdict check (verdict in ('allow', 'deny'))
);

alter table muniment.audit enable row level security;

create policy base on muniment.audit as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.audit as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.audit as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert on muniment.audit to muniment_app;

create index audit_subject_idx on muniment.audit (tenant_id, subject_id, recorded_at);
