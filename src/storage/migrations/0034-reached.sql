-- What went with something of a subject that lives on, by ids of ours: a search looks for it again. Null for a whole subject.
alter table muniment.erasure add column reached jsonb;
