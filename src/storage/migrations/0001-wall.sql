-- The wall: scope functions that every policy and every transaction uses.
create schema if not exists muniment;

grant usage on schema muniment to public;

create function muniment.tenant() returns uuid language sql stable
as $$ select nullif(current_setting('muniment.tenant', true), '')::uuid $$;

create function muniment.subject() returns uuid language sql stable
as $$ select nullif(current_setting('muniment.subject', true), '')::uuid $$;

create function muniment.tenant_wide() returns boolean language sql stable
as $$ select coalesce(current_setting('muniment.breadth', true), '') = 'tenant' $$;

create function muniment.set_scope(tenant uuid, subject uuid, breadth text) returns void language plpgsql
as $$
begin
  set local role muniment_app;
  execute format('set local muniment.tenant = %L', coalesce(tenant::text, ''));
  execute format('set local muniment.subject = %L', coalesce(subject::text, ''));
  execute format('set local muniment.breadth = %L', breadth);
end
$$;

create function muniment.require(condition boolean, code text) returns boolean language plpgsql
as $$
begin
  if condition is not true then
    raise exception using errcode = 'MU001', message = code;
  end if;
  return true;
end
$$;

-- Outside the wall: jobs iterate tenants, a credential names one.
create table muniment.tenant (
  tenant_id uuid not null,
  name text not null,
  evidence_days integer not null,
  created_at timestamptz not null,
  constraint tenant_pk primary key (tenant_id),
  constraint tenant_name_key unique (name)
);

create table muniment.deployment (
  deployment_id integer not null,
  custody_id text not null,
  created_at timestamptz not null,
  constraint deployment_pk primary key (deployment_id),
  constraint deployment_one check (deployment_id = 1)
);

grant select, insert on muniment.tenant to muniment_app;

grant select, insert on muniment.deployment to muniment_app;
