-- What is forgotten of a subject that lives on, and what mayn't be forgotten for now.
alter table muniment.tombstone drop constraint tombstone_kind;

-- An item is a source, a text or a session of one subject: the ledger doesn't tell them apart.
alter table muniment.tombstone add constraint tombstone_kind check (kind in ('subject', 'item', 'request'));

create table muniment.hold (
  tenant_id uuid not null,
  subject_id uuid not null,
  hold_id uuid not null,
  subject_mac text not null,
  basis text not null,
  scope text not null,
  target uuid not null,
  placed_at timestamptz not null,
  placed_ref uuid,
  released_at timestamptz,
  released_ref uuid,
  constraint hold_pk primary key (tenant_id, subject_id, hold_id)
);

alter table muniment.hold enable row level security;

create policy base on muniment.hold as permissive for all to muniment_app using (true) with check (true);

create policy tenant_wall on muniment.hold as restrictive for all to muniment_app
  using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant());

create policy subject_wall on muniment.hold as restrictive for all to muniment_app
  using (subject_id = muniment.subject() or muniment.tenant_wide())
  with check (subject_id = muniment.subject() or muniment.tenant_wide());

grant select, insert, update on muniment.hold to muniment_app;

create index hold_standing_idx on muniment.hold (tenant_id, subject_id) where released_at is null;
