import { beforeAll, expect, it } from "vitest";
import { MunimentError } from "../../src/domain/errors.js";
import { type TenantId, trustedId, type WorkspaceId } from "../../src/domain/ids.js";
import type { Permit } from "../../src/domain/permit.js";
import { Unmet } from "../../src/domain/unmet.js";
import { type Statement, sql } from "../../src/storage/sql.js";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";
import { permitFor } from "./permits.js";

const TENANT = trustedId<"TenantId">(crypto.randomUUID());
const NOW = new Date("2026-03-01T09:30:00Z");

function insertWorkspace(name: string, tenant: TenantId = TENANT): Statement<{ id: WorkspaceId }> {
  return sql<{ id: WorkspaceId }>`
    insert into muniment.workspace (tenant_id, workspace_id, name, created_at)
    values (${tenant}, ${crypto.randomUUID()}, ${name}, ${NOW}) returning workspace_id as id`;
}

const countWorkspaces = (name: string): Statement<{ n: number }> =>
  sql<{
    n: number;
  }>`select count(*) as n from muniment.workspace where tenant_id = ${TENANT} and name = ${name}`;

const permit = (): Permit => permitFor({ tenant: TENANT });

function failing(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "no failure",
    (error: unknown) => error,
  );
}

describeEachDatabase(
  "transaction",
  (kind) => {
    let database: TestDatabase;

    const kept = async (name: string): Promise<number> => {
      const [[row]] = await database.store.transact(permit(), (tx) =>
        tx.commit([countWorkspaces(name)]),
      );
      return row?.n ?? -1;
    };

    beforeAll(async () => {
      database = await kind.open({ poolMax: 1 });
    });

    it("S5-01 a permit that wasn't minted opens nothing, and nothing is sent", async () => {
      const minted = permit();
      const before = database.flushes();
      const forged: unknown[] = [
        { ...minted },
        Object.assign(Object.create(Object.getPrototypeOf(minted)), minted),
        structuredClone({ scope: minted.scope, action: minted.action, decision: minted.decision }),
        new Proxy(minted, {}),
        null,
        undefined,
        "permit",
      ];
      for (const candidate of forged) {
        const used = database.store.transact(candidate as Permit, (tx) =>
          tx.commit([insertWorkspace("forged")]),
        );
        expect(await failing(used)).toMatchObject({
          kind: "internal",
          message: "not a minted permit",
        });
      }
      expect(database.flushes()).toBe(before);
      expect(await kept("forged")).toBe(0);
    });

    it("S5-01 a permit opens one transaction, even where that one failed or wrote nothing", async () => {
      const spent = permit();
      await database.store.transact(spent, async () => undefined);
      const again = database.store.transact(spent, (tx) => tx.commit([insertWorkspace("reused")]));
      expect(await failing(again)).toMatchObject({
        kind: "internal",
        message: "this permit was used before",
      });
      expect(await kept("reused")).toBe(0);
    });

    it("what commits is kept, statement by statement in order", async () => {
      const [[made], [first], [second]] = await database.store.transact(permit(), (tx) =>
        tx.commit([insertWorkspace("kept"), countWorkspaces("kept"), countWorkspaces("other")]),
      );
      expect(made?.id).toMatch(/^[0-9a-f-]{36}$/);
      expect([first?.n, second?.n]).toEqual([1, 0]);
      expect(await kept("kept")).toBe(1);
    });

    it("a body that ends without commit leaves nothing", async () => {
      const answer = await database.store.transact(permit(), async (tx) => {
        await tx.send([insertWorkspace("left")]);
        return 7;
      });
      expect(answer).toBe(7);
      expect(await kept("left")).toBe(0);
    });

    it("a body that throws leaves nothing, and its own error comes out", async () => {
      const thrown = new Error("the body's own");
      const used = database.store.transact(permit(), async (tx) => {
        await tx.send([insertWorkspace("thrown")]);
        throw thrown;
      });
      expect(await failing(used)).toBe(thrown);
      expect(await kept("thrown")).toBe(0);
    });

    it("an unmet expectation rolls back what came before and after it, and carries its code", async () => {
      const used = database.store.transact(permit(), (tx) =>
        tx.commit([
          insertWorkspace("unmet"),
          sql`select muniment.require(${false}, 'version_conflict')`,
          insertWorkspace("unmet_after"),
        ]),
      );
      const failure = await failing(used);
      expect(failure).toBeInstanceOf(Unmet);
      expect((failure as Unmet).code).toBe("version_conflict");
      expect([await kept("unmet"), await kept("unmet_after")]).toEqual([0, 0]);
    });

    it("an expectation about nothing is unmet: null isn't true", async () => {
      const used = database.store.transact(permit(), (tx) =>
        tx.commit([sql`select muniment.require(${null}::boolean, 'absent')`]),
      );
      expect(await failing(used)).toMatchObject({ code: "absent" });
    });

    it("a body that swallows a failure gets it all the same, and nothing is kept", async () => {
      const used = database.store.transact(permit(), async (tx) => {
        await tx.send([insertWorkspace("swallowed")]);
        await tx.send([sql`select 1 / 0`]).catch(() => undefined);
        return "as if nothing had happened";
      });
      expect(await failing(used)).toBeInstanceOf(MunimentError);
      expect(await kept("swallowed")).toBe(0);
    });

    it("what is read before a commit is opened once, and told when it is committed", async () => {
      const seen: unknown[] = [];
      const counted = await database.store.transact(permit(), (tx) =>
        tx.commitOpening(
          [insertWorkspace("opened"), countWorkspaces("opened")],
          [insertWorkspace("behind them")],
          ([made, [row]]) => {
            seen.push(made.length);
            return row?.n;
          },
        ),
      );
      expect([counted, seen]).toEqual([1, [1]]);
      expect([await kept("opened"), await kept("behind them")]).toEqual([1, 1]);
    });

    it("nobody is told what was opened where the commit failed, and nothing is kept", async () => {
      let opened = 0;
      const used = database.store.transact(permit(), (tx) =>
        tx.commitOpening(
          [insertWorkspace("untold")],
          [sql`select muniment.require(${false}, 'version_conflict')`],
          () => {
            opened += 1;
            return "told";
          },
        ),
      );
      expect(await failing(used)).toMatchObject({ code: "version_conflict" });
      expect([opened, await kept("untold")]).toEqual([1, 0]);
    });

    it("what fails before the rows are there opens nothing", async () => {
      const used = database.store.transact(permit(), (tx) =>
        tx.commitOpening(
          [sql`select muniment.require(${false}, 'index_behind')`],
          [insertWorkspace("unopened")],
          () => "opened",
        ),
      );
      expect(await failing(used)).toMatchObject({ code: "index_behind" });
      expect(await kept("unopened")).toBe(0);
    });

    it("an opening that throws doesn't undo the commit, and its own error comes out", async () => {
      const used = database.store.transact(permit(), (tx) =>
        tx.commitOpening([countWorkspaces("thrown open")], [insertWorkspace("thrown open")], () => {
          throw new RangeError("of its own");
        }),
      );
      expect(await failing(used)).toMatchObject({ message: "of its own" });
      expect(await kept("thrown open")).toBe(1);
    });

    it("after a failure a transaction takes no further statement", async () => {
      const used = database.store.transact(permit(), async (tx) => {
        await tx.send([sql`select 1 / 0`]).catch(() => undefined);
        await tx.commit([insertWorkspace("late")]);
      });
      expect(await failing(used)).toMatchObject({
        kind: "internal",
        message: expect.stringContaining("failed"),
      });
      expect(await kept("late")).toBe(0);
    });

    it("after its commit a transaction takes no further statement", async () => {
      const used = database.store.transact(permit(), async (tx) => {
        await tx.commit([insertWorkspace("committed")]);
        await tx.send([insertWorkspace("after_commit")]);
      });
      expect(await failing(used)).toMatchObject({ kind: "internal" });
      expect([await kept("committed"), await kept("after_commit")]).toEqual([1, 0]);
    });

    it.each([
      ["before it has a connection", 0],
      ["on a connection", 1],
    ])(
      "a body that throws while a statement is under way (%s) gives its connection up, and the next one is clean",
      async (_when, sends) => {
        const thrown = new Error("gave up");
        const used = database.store.transact(permit(), async (tx) => {
          for (let sent = 0; sent < sends; sent += 1) await tx.send([insertWorkspace("in_flight")]);
          tx.send([insertWorkspace("in_flight")]).catch(() => undefined);
          throw thrown;
        });
        expect(await failing(used)).toBe(thrown);
        expect(await kept("in_flight")).toBe(0);
      },
    );

    it("a body that ends while a statement is under way has failed", async () => {
      const used = database.store.transact(permit(), async (tx) => {
        tx.commit([insertWorkspace("dangling")]).catch(() => undefined);
      });
      expect(await failing(used)).toMatchObject({ kind: "internal" });
      await kept("dangling");
    });

    it("a database error is private: the message repeats no value", async () => {
      const used = database.store.transact(permit(), (tx) =>
        tx.commit([sql`select ${"sentinel-5f1c"}::text::uuid`]),
      );
      const failure = await failing(used);
      expect(failure).toMatchObject({
        kind: "internal",
        message: "the database refused a statement",
      });
      expect((failure as Error).cause).toBeInstanceOf(Error);
    });

    it("S1-09 fifty transactions of two tenants on one connection get their own rows each", async () => {
      const other = trustedId<"TenantId">(crypto.randomUUID());
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_item, index) => {
          const tenant = index % 2 === 0 ? TENANT : other;
          return database.store.transact(permitFor({ tenant }), async (tx) => {
            const [[made]] = await tx.send([insertWorkspace(`parallel_${index}`, tenant)]);
            const [rows] = await tx.commit([
              sql<{ tenant: string; id: string; name: string }>`
                select tenant_id as tenant, workspace_id as id, name from muniment.workspace where name = ${`parallel_${index}`}`,
            ]);
            return [rows, { tenant, id: made?.id, name: `parallel_${index}` }] as const;
          });
        }),
      );
      for (const [rows, own] of answers) expect(rows).toEqual([own]);
    });

    it("an operation costs one flush for its commit and one for each send before it", async () => {
      const flushesOf = async (sends: number): Promise<number> => {
        const before = database.flushes();
        await database.store.transact(permit(), async (tx) => {
          for (let sent = 0; sent < sends; sent += 1)
            await tx.send([countWorkspaces("x"), countWorkspaces("y")]);
          await tx.commit([countWorkspaces("x"), countWorkspaces("y"), countWorkspaces("z")]);
        });
        return database.flushes() - before;
      };
      expect([await flushesOf(0), await flushesOf(1), await flushesOf(2)]).toEqual([1, 2, 3]);
    });

    it("a statement that can't be answered in time makes the database unavailable, not the answer wrong", async () => {
      const used = database.store.transact(permit(), (tx) =>
        tx.commit([
          sql`do $$ begin raise exception using errcode = '57014', message = 'canceled'; end $$`,
        ]),
      );
      expect(await failing(used)).toMatchObject({
        kind: "unavailable",
        message: "the database is not available",
      });
    });
  },
  { oldest: true },
);
