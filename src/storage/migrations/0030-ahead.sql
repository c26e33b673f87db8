-- What claimed a time after it was forgotten, and so would pass for something new: it mayn't come again whatever time it claims.
alter table muniment.tombstone drop constraint tombstone_kind;

alter table muniment.tombstone add constraint tombstone_kind check (kind in ('subject', 'item', 'ahead', 'request'));
