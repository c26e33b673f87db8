-- How often a job was taken: only grows, where its tries begin anew, so that no worker of before counts again.
alter table muniment.work add column claims integer not null default 0;
