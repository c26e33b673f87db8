-- What one agent hands to another beside slots: written with the run that receives it, and by nothing after that.
alter table muniment.working drop constraint working_class;

alter table muniment.working add constraint working_class
  check (class in ('contract', 'handoff', 'criterion', 'artifact', 'failure', 'question', 'slot', 'note', 'scratch'));
