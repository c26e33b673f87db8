-- Decisions of one subject in the order in which they were written: ids are made before, and may overtake each other.
alter table muniment.promotion add column revision bigint not null default 0;

create index promotion_revision_idx on muniment.promotion (tenant_id, subject_id, revision);
