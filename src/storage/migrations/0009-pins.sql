-- A run's pin under its subject's key: what a run was pinned to isn't changed by whoever can write rows.
alter table muniment.run add column pin_mac bytea not null default ''::bytea;
