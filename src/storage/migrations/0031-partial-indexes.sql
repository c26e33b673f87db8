-- Of indexes that cost the same the planner takes the newest, and for a table that it thinks empty all cost the same: so a foreign
-- key looked its row up among all of the person's, for as long as nobody had counted them (PGlite never does). These indexes
-- serve those statements alone that say the condition, which is always true; a foreign key's never does.
drop index muniment.run_session_idx;

create index run_session_idx on muniment.run (tenant_id, subject_id, session_id, created_at) where created_at > '-infinity';

drop index muniment.turn_revision_idx;

create index turn_revision_idx on muniment.turn (tenant_id, subject_id, revision) where revision > 0;

drop index muniment.promotion_revision_idx;

create index promotion_revision_idx on muniment.promotion (tenant_id, subject_id, revision) where revision >= 0;

alter table muniment.turn drop constraint turn_source_key;

create unique index turn_source_key on muniment.turn (tenant_id, subject_id, source_id) where source_id is not null;

-- Of these two keys of one table the foreign key's own is the newest now.
alter table muniment.field_value drop constraint field_value_promotion_fk;

alter table muniment.promotion drop constraint promotion_hash_key;

alter table muniment.promotion add constraint promotion_hash_key unique (tenant_id, subject_id, promotion_id, new_hash);

alter table muniment.field_value add constraint field_value_promotion_fk foreign key (tenant_id, subject_id, promotion_id, value_hash)
  references muniment.promotion (tenant_id, subject_id, promotion_id, new_hash);
