-- When a session was processed: `observed_at` is elsewhere when something was said. And a job is named as what it does.
alter table muniment.session rename column observed_at to processed_at;

update muniment.work set kind = 'consolidate_subject' where kind = 'consolidate';

-- Of an event only the seal changes, under another key.
revoke update on muniment.event from muniment_app;

grant update (body_sealed) on muniment.event to muniment_app;
