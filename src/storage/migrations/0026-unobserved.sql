-- Whether anything but a question that names it may observe a session: false where it was closed to stay unobserved.
alter table muniment.session add column wants_observation boolean not null default true;
