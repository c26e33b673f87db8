-- When the session's conversation was last processed: beside its end, and beside when what came of it was served.
alter table muniment.session add column observed_at timestamptz;
