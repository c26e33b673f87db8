import { beforeAll, expect, it } from "vitest";
import { checkCatalogue, checkLogin } from "../../src/storage/self-check.js";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";

/** What an operator or a later migration could do, and what the check must say about it. */
const DAMAGE: readonly (readonly [string, readonly string[], string])[] = [
  [
    "a table without row-level security",
    ["alter table muniment.turn disable row level security"],
    "muniment.turn has no row-level security",
  ],
  [
    "a new table without a wall",
    ["create table muniment.loose (tenant_id uuid)"],
    "muniment.loose has no row-level security",
  ],
  [
    "a table without tenant_wall",
    ["drop policy tenant_wall on muniment.run"],
    "muniment.run has no tenant_wall",
  ],
  [
    "a permissive tenant_wall",
    [
      "drop policy tenant_wall on muniment.run",
      "create policy tenant_wall on muniment.run for all to muniment_app using (tenant_id = muniment.tenant()) with check (tenant_id = muniment.tenant())",
    ],
    "muniment.run has no tenant_wall",
  ],
  [
    "a tenant_wall for reads alone",
    [
      "drop policy tenant_wall on muniment.run",
      "create policy tenant_wall on muniment.run as restrictive for select to muniment_app using (tenant_id = muniment.tenant())",
    ],
    "muniment.run has no tenant_wall",
  ],
  [
    "a tenant_wall that lets more in",
    [
      "alter policy tenant_wall on muniment.run using (tenant_id = muniment.tenant() or muniment.tenant() is null)",
    ],
    "muniment.run has no tenant_wall",
  ],
  [
    "a tenant_wall that lets more out",
    ["alter policy tenant_wall on muniment.run with check (true)"],
    "muniment.run has no tenant_wall",
  ],
  [
    "a tenant_wall for another role",
    ["create role other_app", "alter policy tenant_wall on muniment.run to other_app"],
    "muniment.run has no tenant_wall",
  ],
  [
    "a personal table without subject_wall",
    ["drop policy subject_wall on muniment.turn"],
    "muniment.turn is personal and has no subject_wall",
  ],
  [
    "a forced wall",
    ["alter table muniment.turn force row level security"],
    "muniment.turn forces row-level security",
  ],
  [
    "a plain view",
    ["create view muniment.all_turns as select * from muniment.turn"],
    "muniment.all_turns is a view without security_invoker",
  ],
  [
    "a materialised view",
    ["create materialized view muniment.all_turns as select * from muniment.turn"],
    "muniment.all_turns is a materialised or foreign table",
  ],
  [
    "a unique key that is an oracle",
    ["create unique index oracle on muniment.turn (turn_id)"],
    "muniment.oracle is an index that tenant_id doesn't lead",
  ],
  [
    "an index that tenant_id doesn't lead",
    ["create index slow on muniment.turn (subject_id, tenant_id)"],
    "muniment.slow is an index that tenant_id doesn't lead",
  ],
  [
    "a foreign key that is an oracle",
    [
      "alter table muniment.tenant add constraint other_key unique (tenant_id, name)",
      "alter table muniment.workspace add constraint oracle_fk foreign key (name, tenant_id) references muniment.tenant (name, tenant_id)",
    ],
    "muniment.workspace oracle_fk is a foreign key that tenant_id doesn't lead",
  ],
  [
    "a foreign key that sets null",
    [
      "alter table muniment.checkpoint drop constraint checkpoint_run_fk",
      "alter table muniment.checkpoint add constraint checkpoint_run_fk foreign key (tenant_id, subject_id, run_id) references muniment.run (tenant_id, subject_id, run_id) on delete set null",
    ],
    "muniment.checkpoint checkpoint_run_fk is a foreign key that sets null or a default",
  ],
  [
    "a trigger",
    [
      "create function muniment.touch() returns trigger language plpgsql as $$ begin return new; end $$",
      "create trigger touch before insert on muniment.turn for each row execute function muniment.touch()",
    ],
    "muniment.turn touch has a trigger",
  ],
  [
    "a SECURITY DEFINER function",
    [
      "create function muniment.backdoor() returns integer language sql security definer as $$ select 1 $$",
    ],
    "muniment.backdoor() is a SECURITY DEFINER function",
  ],
  [
    "an application role that may truncate",
    ["grant truncate on muniment.turn to muniment_app"],
    "muniment.turn may be truncated, referenced or triggered on by the application role",
  ],
  [
    "everybody who may truncate",
    ["grant truncate on muniment.turn to public"],
    "muniment.turn may be truncated, referenced or triggered on by the application role",
  ],
  [
    "an application role that owns a table",
    ["alter table muniment.turn owner to muniment_app"],
    "muniment.turn is owned by the application role",
  ],
  [
    "an application role that owns the schema",
    ["alter schema muniment owner to muniment_app"],
    "schema muniment is owned by the application role",
  ],
  [
    "an application role that bypasses",
    ["alter role muniment_app bypassrls"],
    "role muniment_app may log in, is a superuser, bypasses row-level security",
  ],
  [
    "an application role that is the superuser",
    ["alter role muniment_app superuser"],
    "role muniment_app may log in, is a superuser, bypasses row-level security",
  ],
  [
    "an application role that logs in",
    ["alter role muniment_app login"],
    "role muniment_app may log in, is a superuser, bypasses row-level security",
  ],
  [
    "an application role that is a member of another",
    ["create role owner_role", "grant owner_role to muniment_app"],
    "role muniment_app is a member of another role",
  ],
  [
    "an application role that creates",
    ["grant create on schema muniment to muniment_app"],
    "schema muniment lets the application role create things in it",
  ],
  [
    "an audit trail that can be changed",
    ["grant update on muniment.audit to muniment_app"],
    "muniment.audit may be changed or deleted by the application role",
  ],
  [
    "an audit trail that can be deleted",
    ["grant delete on muniment.audit to muniment_app"],
    "muniment.audit may be changed or deleted by the application role",
  ],
  [
    "a queue that the application may read",
    ["grant select on pgboss.job to muniment_app"],
    "pgboss.job lets the application role do more than send jobs",
  ],
  [
    "a queue whose role reads memory",
    ["grant select on muniment.turn to muniment_worker"],
    "muniment.turn lets the queue's role into memory",
  ],
  ["no queue", ["drop schema pgboss cascade"], "the job queue is missing"],
  [
    "an open table of another schema",
    [
      "create schema other",
      "create table other.notes (note text)",
      "grant select on other.notes to muniment_app",
    ],
    "other.notes has no row-level security",
  ],
];

describeEachDatabase(
  "self-check",
  (kind) => {
    let database: TestDatabase;

    beforeAll(async () => {
      database = await kind.open();
    });

    it("a migrated database is sound", async () => {
      expect(await database.store.selfCheck()).toEqual([]);
    });

    it("it finds a database of another version", async () => {
      await database.query("update muniment.migration set number = 9999 where number = 1");
      expect((await database.store.selfCheck()).join()).toContain("migrated by a newer version");
      await database.query("update muniment.migration set number = 1 where number = 9999");
      const [last] = await database.query("select max(number) as number from muniment.migration");
      const taken = await database.query(
        "delete from muniment.migration where number = $1 returning name, sha256, applied_at",
        [last?.number],
      );
      expect(await database.store.selfCheck()).toEqual([
        `the database lacks migration ${taken[0]?.name}: bring it forward with muniment upgrade`,
      ]);
      await database.query("insert into muniment.migration values ($1, $2, $3, $4)", [
        last?.number,
        taken[0]?.name,
        taken[0]?.sha256,
        taken[0]?.applied_at,
      ]);
      expect(await database.store.selfCheck()).toEqual([]);
    });

    it.each(DAMAGE)("it finds %s", async (_name, statements, finding) => {
      await database.query("begin");
      try {
        for (const statement of statements) await database.query(statement);
        const findings = await checkCatalogue((text) => database.query(text));
        expect(findings.filter((line) => line.startsWith(finding))).toHaveLength(1);
      } finally {
        await database.query("rollback");
      }
      expect(await checkCatalogue((text) => database.query(text))).toEqual([]);
    });

    it("the queue's schema and what the application can't reach are no findings", async () => {
      await database.query("begin");
      await database.query("create schema elsewhere");
      await database.query("create table elsewhere.notes (note text)");
      const findings = await checkCatalogue((text) => database.query(text));
      await database.query("rollback");
      expect(findings).toEqual([]);
    });

    it("it tells an owner's login from the service's", async () => {
      const owner = await checkLogin((text) => database.query(text));
      expect(owner.join()).toContain("is a superuser or bypasses row-level security");
      expect(owner.join()).toContain("owns tables");
    });
  },
  { oldest: true },
);
