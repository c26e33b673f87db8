-- Of indexes that cost the same the planner takes the newest, and for a table that it thinks empty all cost the same: so a foreign
-- key looked its row up among all of the person's, for as long as nobody had counted them (PGlite never does). These indexes
-- serve those statements alone that say the condition, which is always true; a foreign key's never does.
drop index muniment.run_session_idx;

create index run_session_idx on muniment.run (tenant_id, subject_id, session_id, created_at) where created_at > '-infinity';

drop index muniment.turn_revision_idx;

create index turn_revision_idx on muniment.turn (tenant_id, subject_id, revision) where revision > 0;

drop index muniment.promotion_revision_idx;

create index promotion_revision_idx on muniment.promotion (tenant_id, subject_id, revision) where revision >= 0;
