import { beforeAll, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits.js";
import type { Permit } from "../../src/domain/permit.js";
import { sweep } from "../../src/services/sweep.js";
import type { Transaction } from "../../src/storage/store.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

const TTL_HOURS = 8;

describeEachDatabase("sweep", (database) => {
  let m: TestMuniment;
  let sessions = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody({ profile: { ttl_hours: TTL_HOURS } }));
  });

  async function keepAll(idempotencyKey?: string) {
    const session = `s${sessions++}`;
    const { run_id } = await m
      .app("bank-au", idempotencyKey)
      .startRun("jane", session, { route_id: "chat", goal: "Talk" });
    await m.app().completeStage(run_id, "first", {
      output: 1,
      turns: [{ role: "tool_call", text: "{}", tool: "look", call_id: "1" }],
    });
    return run_id;
  }

  it("S1-10 a sweep leaves each row for a grace after its end, so that no late write loses what it keeps alive", async () => {
    const run = await keepAll("kept");
    const rows = async () => {
      const counts = ["working", "checkpoint", "turn"].map(async (table) => {
        const found = await m.db.query(`select from muniment.${table} where run_id = $1`, [run]);
        return found.length;
      });
      return await Promise.all(counts);
    };
    m.clock.forward({ hours: TTL_HOURS, milliseconds: LIMITS.sweepGraceMs - 1 });
    await sweep(m.services);
    expect(await rows()).toEqual([1, 1, 1]);
    m.clock.forward({ milliseconds: 1 });
    const [report] = await sweep(m.services);
    expect(report).toMatchObject({ working: 1, checkpoints: 1, turns: 1, goals: 1, replies: 0 });
    expect(await rows()).toEqual([0, 0, 0]);
    m.clock.forward({ hours: LIMITS.idempotencyHours - TTL_HOURS, milliseconds: -1 });
    expect((await sweep(m.services))[0]?.replies).toBe(0);
    m.clock.forward({ milliseconds: 1 });
    expect((await sweep(m.services))[0]?.replies).toBe(1);
  });

  it("S1-31 the record of a pack goes some weeks after its validity, and the trail tells how many of each kind went", async () => {
    const run = await keepAll();
    const { pack_id } = await m.app().assemble(run, {});
    m.clock.forward({
      hours: TTL_HOURS + 24 * LIMITS.packDays,
      milliseconds: LIMITS.sweepGraceMs - 1,
    });
    expect((await sweep(m.services))[0]).toMatchObject({ packs: 0 });
    m.clock.forward({ milliseconds: 1 });
    expect((await sweep(m.services))[0]).toMatchObject({ packs: 1 });
    expect(
      await m.db.query("select from muniment.pack where pack_id = $1", [pack_id]),
    ).toHaveLength(0);
    const { rows } = await m.operator().readAudit({ limit: 1 });
    const kinds = ["working", "checkpoints", "turns", "goals", "replies", "tombstones", "packs"];
    const later = [
      "segments",
      "candidates",
      "session_keys",
      "events",
      "episodes",
      "observations",
      "models",
      "traces",
      "prompts",
      "work",
    ];
    const removed = [...kinds, ...later].map((kind) => ({
      kind: `expired_${kind}`,
      ids: [],
      count: kind === "packs" ? 1 : 0,
    }));
    expect(rows[0]).toMatchObject({
      operation: "sweep",
      memory_writes: [
        ...removed,
        { kind: "work_requeued", ids: [], count: 0 },
        { kind: "work", ids: [] },
      ],
    });
  });

  it("S1-10 a tenant whose sweep fails doesn't keep the later ones from theirs, and is told at the end", async () => {
    await m.operator("bank-nz").listRoutes({});
    const broken = await m.services.directory.tenant("bank-au");
    const swept: string[] = [];
    const { store } = m.services;
    const failing = {
      ...m.services,
      store: {
        ...store,
        transact: async <R>(permit: Permit, body: (tx: Transaction) => Promise<R>) => {
          if (permit.scope.tenant === broken.tenantId) throw new Error("the disk is full");
          swept.push(permit.action);
          return await store.transact(permit, body);
        },
      },
    };
    await expect(sweep(failing)).rejects.toMatchObject({
      name: "AggregateError",
      message: "sweep failed in 1 of 2 tenants",
      errors: [{ kind: "internal" }],
      cause: { kind: "internal" },
    });
    expect(swept).toEqual(["sweep"]);
  });

  // PGlite has one connection: nothing can hold a row while a sweep waits for it.
  if (database.name === "pglite") return;

  it("S1-10 a sweep that waited for a write looks at the clock again that the write moved", async () => {
    const run = await keepAll();
    m.clock.forward({ hours: TTL_HOURS, milliseconds: LIMITS.sweepGraceMs });
    await m.db.query("begin");
    await m.db.query(
      "update muniment.run set expires_at = expires_at + interval '9 hours' where run_id = $1",
      [run],
    );
    const swept = sweep(m.services);
    const isWaiting =
      "select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))";
    while ((await m.db.query(isWaiting)).length === 0);
    await m.db.query("commit");
    expect((await swept)[0]?.goals).toBe(0);
    expect((await m.app().readRun(run)).goal).toBe("Talk");
  });
});
