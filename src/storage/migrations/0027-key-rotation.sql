-- When the subject got another data key, until the ones before it are destroyed.
alter table muniment.subject add column key_rotated_at timestamptz;

create index subject_rotated_idx on muniment.subject (tenant_id, subject_id) where key_rotated_at is not null;

-- What never changes otherwise is sealed anew under the newer key: these columns alone.
grant update (sealed) on muniment.external_id to muniment_app;

grant update (sealed) on muniment.segment to muniment_app;

grant update (body_sealed, terms_sealed) on muniment.observation to muniment_app;

grant update (value_sealed) on muniment.field_value to muniment_app;

grant update (actor_sealed) on muniment.promotion to muniment_app;
