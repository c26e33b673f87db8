-- As in 0031: for lists of events alone, so that nothing looks a record up in it.
drop index muniment.event_revision_idx;

create index event_revision_idx on muniment.event (tenant_id, subject_id, workspace_id, revision) where revision > 0;
