import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";
import { refusedForms, serviceFaults, uniqueKeys } from "./sql-rules.js";
import { readMigrationStatements, readServiceStatements, storageFiles } from "./sql-source.js";

const MIGRATIONS = readMigrationStatements();
const SERVICE = readServiceStatements();
const KEYS = uniqueKeys(MIGRATIONS.map(({ text }) => text));

describe("all SQL", () => {
  it("is seen by the scan, so that an empty result means something", () => {
    expect(MIGRATIONS.length).toBeGreaterThan(50);
    expect(SERVICE.length).toBeGreaterThan(25);
  });

  it("has no form that a Citus cluster refuses", () => {
    const found = [...MIGRATIONS, ...SERVICE].flatMap(({ where, text }) =>
      refusedForms(text).map((form) => `${where}: ${form}`),
    );
    expect(found).toEqual([]);
  });

  it("has no form that hides in a string of the drivers: one lock, in the migrator", () => {
    const found = storageFiles().filter((file) =>
      /set_config|pg_(try_)?advisory/.test(readFileSync(file, "utf8")),
    );
    expect(found.map((file) => file.replace(/^.*storage\//, ""))).toEqual(["migrate.ts"]);
  });

  it("S5-02 names the tenant in every statement, columns always, an order and a limit where rows are many", () => {
    const found = SERVICE.flatMap(({ where, text }) =>
      serviceFaults(text, KEYS).map((fault) => `${where}: ${fault}`),
    );
    expect(found).toEqual([]);
  });

  it("is one statement a call", () => {
    expect(SERVICE.filter(({ text }) => /;/.test(text)).map(({ where }) => where)).toEqual([]);
  });

  it("names its constraints and separates its alters", () => {
    const found = MIGRATIONS.filter(({ text }) => {
      const unnamed = text.replace(/constraint \w+\s+(primary key|unique|foreign key|check)/g, "");
      return (
        /\b(primary key|unique|foreign key|check) \(/.test(
          unnamed.replace(/with\s+check\s*\(/g, ""),
        ) || /alter table[^;]*,\s*(add|drop|alter)\b/.test(text)
      );
    });
    expect(found.map(({ where }) => where)).toEqual([]);
  });
});

describe("rules of SQL bite", () => {
  it.each([
    ["set_config", "select set_config('muniment.tenant', $1, true)"],
    ["security definer", "create function f() returns void language sql security definer as $$ $$"],
    ["trigger", "create trigger t before insert on muniment.turn execute function f()"],
    ["merge", "merge into muniment.turn using x on true when matched then delete"],
    ["full join", "select 1 from a full join b using (x)"],
    ["set null or default", "alter table a add foreign key (x) references b on delete set null"],
    ["materialised view", "create materialized view v as select 1"],
    ["forced row-level security", "alter table a force row level security"],
    ["advisory lock", "select pg_advisory_xact_lock(1)"],
    ["session state", "set session authorization x"],
    ["copy or truncate", "truncate muniment.turn"],
  ])("%s", (form, text) => {
    expect(refusedForms(text)).toEqual([form]);
  });

  it.each([
    ["no explicit tenant_id = $n", "delete from muniment.turn t where t.tenant_id = s.tenant_id"],
    [
      "turn: not joined or filtered by tenant_id",
      "select t.seq from muniment.session s join muniment.turn t on t.session_id = s.session_id where s.tenant_id = $1 order by t.seq limit 1",
    ],
    [
      "turn: tenant_id isn't the first column",
      "insert into muniment.turn (seq, tenant_id) values ($1, $2)",
    ],
    ["no order by and limit", "select seq from muniment.turn where tenant_id = $1"],
    ["no order by and limit", "select seq from muniment.turn where tenant_id = $1 order by seq"],
    ["columns not named", "select * from muniment.turn where tenant_id = $1 order by seq limit 1"],
    ["columns not named", "delete from muniment.turn where tenant_id = $1 returning *"],
    ["a volatile value", "update muniment.turn set recorded_at = now() where tenant_id = $1"],
    [
      "an upsert from something else than excluded",
      "insert into muniment.turn (tenant_id, seq) values ($1, $2) on conflict (tenant_id) do update set seq = turn.seq + 1",
    ],
    ["not lower case", "SELECT seq from muniment.turn where tenant_id = $1 order by seq limit 1"],
  ])("%s", (fault, text) => {
    expect(serviceFaults(text, KEYS)).toEqual([fault]);
  });

  it("a row by its unique key needs no order", () => {
    expect(
      serviceFaults(
        "select epoch from muniment.session where tenant_id = $1 and subject_id = $2 and session_id = $3",
        KEYS,
      ),
    ).toEqual([]);
  });
});

describeEachDatabase(
  "all SQL of the service",
  (kind) => {
    let database: TestDatabase;

    beforeAll(async () => {
      database = await kind.open();
    });

    it.each(SERVICE.map(({ where, text }) => [where, text]))(
      "%s is understood, and the application role may run it",
      async (_where, text) => {
        const places = new Set(text.match(/\$\d+/g) ?? []).size;
        await database.query("begin");
        try {
          await database.query(`prepare checked as ${text}`);
          await database.query("set local role muniment_app");
          const nulls = Array.from({ length: places }, () => "null").join(", ");
          const plan = await database.query(
            `explain execute checked${places === 0 ? "" : `(${nulls})`}`,
          );
          expect(plan.length).toBeGreaterThan(0);
        } finally {
          await database.query("rollback");
          await database.query("deallocate all");
        }
      },
    );
  },
  { oldest: true },
);
