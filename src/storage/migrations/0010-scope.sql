-- One setting holds the whole scope, so that a transaction sets it once: tenant (36 characters), breadth (its first letter), subject.
create or replace function muniment.tenant() returns uuid language sql stable
as $$ select nullif(left(current_setting('muniment.scope', true), 36), '')::uuid $$;

create or replace function muniment.subject() returns uuid language sql stable
as $$ select nullif(substr(current_setting('muniment.scope', true), 38), '')::uuid $$;

create or replace function muniment.tenant_wide() returns boolean language sql stable
as $$ select coalesce(substr(current_setting('muniment.scope', true), 37, 1), '') = 't' $$;

create or replace function muniment.set_scope(tenant uuid, subject uuid, breadth text) returns void language plpgsql
as $$
begin
  set local role muniment_app;
  execute format('set local muniment.scope = %L', coalesce(tenant::text || left(breadth, 1) || coalesce(subject::text, ''), ''));
end
$$;
