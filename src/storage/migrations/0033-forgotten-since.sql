-- Something that the run knew was forgotten, and it has taken no pack since: what it words may still tell it.
alter table muniment.run add column knows_forgotten boolean not null default false;
