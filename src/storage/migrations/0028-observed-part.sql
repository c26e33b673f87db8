-- Which part of a session has been observed: where that is done again after something was forgotten, it goes no further.
alter table muniment.session add column observed_seq bigint not null default 0;
alter table muniment.session add column observed_imported boolean not null default false;

update muniment.session set observed_seq = last_seq where observed_at is not null;
