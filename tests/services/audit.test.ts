import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

const SECRET = "zebra-sentinel-4471";

const UNKNOWN = "01900000-0000-7000-8000-000000000000";

const said = (text: string) => ({ turns: [{ role: "user", text }] });

/** Every trace field, in the names of the requirement. */
const TRACE_FIELDS = [
  "session_id",
  "route_id",
  "memory_profile",
  "memory_reads",
  "memory_writes",
  "memory_pack_id",
  "ttl_policy",
  "prompt_memory_tokens",
  "isolation_keys",
  "pep_verdict",
];

interface Row {
  readonly [field: string]: unknown;
  readonly operation: string;
  readonly pep_verdict: string;
  readonly audit_id: string;
  readonly memory_writes: readonly { kind: string; ids: readonly string[] }[];
  readonly memory_reads: readonly { kind: string; ids: readonly string[] }[];
  readonly ttl_policy: { clock: string; hours: number | null; expires_at: string | null };
}

describeEachDatabase("audit", (database) => {
  let m: TestMuniment;
  let sessions = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  async function start() {
    const session = `s${sessions++} ${SECRET}`;
    const { run_id } = await m
      .app()
      .startRun(`jane ${SECRET}`, session, { route_id: "chat", goal: SECRET });
    return { session, run: run_id };
  }

  async function idsNow(): Promise<readonly string[]> {
    const rows = await m.db.query<{ audit_id: string }>("select audit_id from muniment.audit");
    return rows.map((row) => row.audit_id);
  }

  /** Audit rows that a call left, in the names of the trace fields. */
  async function rowsOf(call: () => Promise<unknown>): Promise<readonly Row[]> {
    const before = new Set(await idsNow());
    await call().catch(() => undefined);
    const after = (await idsNow()).filter((id) => !before.has(id));
    const { rows } = await m.operator().readAudit({ limit: 200 });
    const { rows: others } = await m.operator("bank-nz").readAudit({ limit: 200 });
    return ([...rows, ...others] as readonly Row[]).filter((row) => after.includes(row.audit_id));
  }

  it("S1-31 each operation leaves exactly one row, with all trace fields, and its reply names that row", async () => {
    const { run, session } = await start();
    const app = m.app();
    await app.appendTurns(run, said(`hello ${SECRET}`));
    const pack = await app.assemble(run, {});
    const person = `jane ${SECRET}`;
    const rows = [
      { session, source_id: SECRET, text: SECRET, observed_at: "2020-01-01T00:00:00Z" },
    ];
    const operations: readonly [
      string,
      string,
      () => Promise<{ decision: { audit_id: string } }>,
    ][] = [
      ["start_run", "run", () => app.startRun(person, session, { route_id: "chat", goal: SECRET })],
      ["take_turn", "run", () => app.takeTurn(person, session, said(SECRET))],
      ["read_run", "run", () => app.readRun(run)],
      ["append_turns", "session", () => app.appendTurns(run, said(SECRET))],
      ["list_turns", "session", () => app.listTurns(run, {})],
      [
        "write_working",
        "run",
        () => app.writeWorking(run, { artifact: SECRET, failures: [SECRET] }),
      ],
      [
        "complete_stage",
        "run",
        () => app.completeStage(run, "one", { output: SECRET, notes: [SECRET] }),
      ],
      ["write_checkpoint", "run", () => app.writeCheckpoint(run, { step: 9, result: SECRET })],
      [
        "project_child",
        "run",
        () => app.projectChild(run, { route_id: "chat", goal: SECRET, slots: ["one"] }),
      ],
      ["assemble", "run", () => app.assemble(run, { recall: { query: SECRET } })],
      ["explain_pack", "run", () => app.explainPack(pack.pack_id)],
      ["diagnose_pack", "run", () => m.operator().diagnosePack(pack.pack_id, {})],
      ["recall_turns", "evidence", () => app.recallTurns(run, { query: SECRET })],
      ["import_turns", "evidence", () => app.importTurns(person, { route_id: "chat", rows })],
      ["fail_run", "run", () => app.failRun(run, { code: "lost" })],
    ];
    for (const [operation, clock, call] of operations) {
      let named = "";
      const left = await rowsOf(async () => {
        named = (await call()).decision.audit_id;
      });
      expect(
        left.map((row) => [row.operation, row.audit_id]),
        operation,
      ).toEqual([[operation, named]]);
      const [row] = left;
      expect(Object.keys(row ?? {}), operation).toEqual(expect.arrayContaining(TRACE_FIELDS));
      expect(row, operation).toMatchObject({
        pep_verdict: "allow",
        route_id: "chat",
        route_version: 1,
        memory_profile: { conversation: "session", ttl_hours: 24 },
        isolation_keys: ["tenant", "user", "session"],
        session_id: expect.any(String),
        subject_id: expect.any(String),
        run_id: expect.any(String),
        ttl_policy: {
          clock,
          hours: clock === "evidence" ? 24 * 365 : 24,
          expires_at: expect.any(String),
        },
        policy_ids: [expect.any(String)],
      });
      expect(
        (row?.memory_reads.length ?? 0) + (row?.memory_writes.length ?? 0),
        operation,
      ).toBeGreaterThan(0);
      const isPack = ["assemble", "explain_pack", "diagnose_pack"].includes(operation);
      expect(row?.memory_pack_id === null, operation).toBe(!isPack);
      expect(row?.prompt_memory_tokens === null, operation).toBe(!isPack);
    }
  });

  it("S1-31 a handoff, the routes and the trail itself leave one row each", async () => {
    const { run, session } = await start();
    await m.app().completeStage(run, "a", { output: 1 });
    const next = await m.app().startRun(`jane ${SECRET}`, session, { route_id: "chat", goal: "x" });
    const calls: readonly [string, () => Promise<unknown>][] = [
      ["handoff_slots", () => m.app().handoffSlots(next.run_id, { from_run: run, slots: ["a"] })],
      ["put_route", () => m.operator().putRoute("fresh", routeBody())],
      ["put_route", () => m.operator().putRoute("fresh", routeBody())],
      ["read_route", () => m.operator().readRoute("fresh", {})],
      ["list_routes", () => m.operator().listRoutes({})],
      ["read_audit", () => m.operator().readAudit({ limit: 0 })],
    ];
    for (const [operation, call] of calls)
      expect((await rowsOf(call)).map((row) => [row.operation, row.pep_verdict])).toEqual([
        [operation, "allow"],
      ]);
  });

  it("S1-31 a first run leaves a row in each of its transactions: the person's, the chat's and its own", async () => {
    const left = await rowsOf(() =>
      m.app().startRun("somebody", "new", { route_id: "chat", goal: "x" }),
    );
    const kinds = left.flatMap((row) => row.memory_writes.map((write) => write.kind));
    expect(kinds.toSorted()).toEqual(["run", "session", "subject"]);
  });

  it("S1-31 each refusal leaves exactly one row under the caller, whatever refuses it", async () => {
    const { run } = await start();
    const { run: ended } = await start();
    await m.app().closeRun(ended, {});
    await m
      .operator()
      .putRoute("quiet", routeBody({ profile: { long_term: "none", conversation: "none" } }));
    const quiet = await m.app().startRun("somebody", "quiet", { route_id: "quiet", goal: "x" });
    const token = "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";
    const refusals: readonly [string, string, () => Promise<unknown>][] = [
      ["not_found", "read_run", () => m.app().readRun(UNKNOWN)],
      ["not_found", "read_run", () => m.app().readRun(SECRET)],
      ["not_found", "append_turns", () => m.app().appendTurns("", said("x"))],
      ["not_found", "explain_pack", () => m.app().explainPack(UNKNOWN)],
      ["not_found", "explain_pack", () => m.app().explainPack(SECRET)],
      ["not_found", "assemble", () => m.app("bank-nz").assemble(run, {})],
      ["not_found", "list_turns", () => m.customer("tom").listTurns(run, {})],
      [
        "not_found",
        "start_run",
        () => m.app().startRun("x", "y", { route_id: "nowhere", goal: "x" }),
      ],
      ["not_found", "take_turn", () => m.app().takeTurn(SECRET, SECRET, {})],
      ["not_found", "read_route", () => m.app().readRoute("nowhere", {})],
      ["denied", "put_route", () => m.app().putRoute("chat", routeBody())],
      ["denied", "read_audit", () => m.app().readAudit({})],
      ["mode_none", "append_turns", () => m.app().appendTurns(quiet.run_id, said("x"))],
      ["mode_none", "recall_turns", () => m.app().recallTurns(quiet.run_id, { query: SECRET })],
      ["invalid_input", "recall_turns", () => m.app().recallTurns(run, { query: "x", limit: -1 })],
      [
        "invalid_input",
        "import_turns",
        () => m.app().importTurns("x", { route_id: "chat", rows: [] }),
      ],
      [
        "scope_in_input",
        "recall_turns",
        () => m.app().recallTurns(run, { query: SECRET, user_id: SECRET }),
      ],
      ["credential_in_text", "append_turns", () => m.app().appendTurns(run, said(token))],
      ["goal_immutable", "write_working", () => m.app().writeWorking(run, { goal: SECRET })],
      [
        "version_conflict",
        "append_turns",
        () => m.app().appendTurns(run, { ...said("x"), expected_version: 77 }),
      ],
      ["run_ended", "append_turns", () => m.app().appendTurns(ended, said("x"))],
    ];
    for (const [kind, operation, call] of refusals) {
      const left = await rowsOf(call);
      const what = `${operation} ${kind}`;
      expect(
        left.map((row) => [row.operation, row.refusal, row.pep_verdict]),
        what,
      ).toEqual([[operation, kind, "deny"]]);
      expect(Object.keys(left[0] ?? {}), what).toEqual(expect.arrayContaining(TRACE_FIELDS));
      expect(left[0], what).toMatchObject({ memory_reads: [], memory_writes: [] });
    }
  });

  it("S1-31 a refusal on the caller's own run is traced with its scope and profile", async () => {
    const { run } = await start();
    const [row] = await rowsOf(() =>
      m.app().completeStage(run, "x", { output: 1, slot_version: 9 }),
    );
    expect(row).toMatchObject({
      run_id: run,
      route_id: "chat",
      isolation_keys: ["tenant", "user", "session"],
    });
    expect(row?.session_id).toEqual(expect.any(String));
    expect(row?.memory_profile).toMatchObject({ long_term: "retrieve_only" });
  });

  it("S1-31 a foreign id stands in the trail as a hash alone, the same for the same id", async () => {
    await m.operator("bank-nz").putRoute("chat", routeBody());
    const foreign = await m.app("bank-nz").startRun("kiwi", "s", { route_id: "chat", goal: "x" });
    const look = () => rowsOf(() => m.app().readRun(foreign.run_id));
    const [row] = await look();
    expect(row).toMatchObject({
      run_id: null,
      subject_id: null,
      session_id: null,
      route_id: null,
      memory_profile: null,
    });
    expect(row?.foreign_ref).toMatch(/^[0-9a-f]{64}$/);
    expect((await look())[0]?.foreign_ref).toBe(row?.foreign_ref);
    expect((await rowsOf(() => m.app().readRun(UNKNOWN)))[0]?.foreign_ref).not.toBe(
      row?.foreign_ref,
    );
    const [tenant] = await m.db.query<{ n: number }>(
      "select count(*)::int as n from muniment.audit a join muniment.tenant t using (tenant_id) where t.name = 'bank-nz' and a.run_id = $1 and a.verdict = 'deny'",
      [foreign.run_id],
    );
    expect(tenant?.n).toBe(0);
  });

  it("S1-31 an operation that can't write its row fails and has written nothing", async () => {
    const { run, session } = await start();
    const count = async () =>
      await m.db.query(
        "select (select count(*) from muniment.turn) as t, (select sum(revision) from muniment.subject) as r, (select sum(version) from muniment.run) as v, (select count(*) from muniment.working) as w, (select count(*) from muniment.pack) as p, (select count(*) from muniment.subject) as s, (select count(*) from muniment.session) as c, (select count(*) from muniment.route) as o, (select sum(step) from muniment.checkpoint) as k",
      );
    const before = await count();
    await m.db.query("revoke insert on muniment.audit from muniment_app");
    try {
      const calls = [
        () => m.app().appendTurns(run, said("x")),
        () => m.app().takeTurn(`jane ${SECRET}`, session, said("x")),
        () => m.app().completeStage(run, "x", { output: 1, notes: ["n"] }),
        () => m.app().writeWorking(run, { failures: ["f"] }),
        () => m.app().writeCheckpoint(run, { step: 100 }),
        () => m.app().closeRun(run, {}),
        () => m.app().assemble(run, {}),
        () => m.app().readRun(run),
        () => m.app().listTurns(run, {}),
        () => m.app().recallTurns(run, { query: "x" }),
        () => m.app().startRun("unheard of", "s", { route_id: "chat", goal: "x" }),
        () => m.app().startRun(`jane ${SECRET}`, "unheard of", { route_id: "chat", goal: "x" }),
        () => m.app().projectChild(run, { route_id: "chat", goal: "x", slots: [] }),
        () => m.app().importTurns("jane", { route_id: "chat", rows: [] }),
        () => m.operator().putRoute("unaudited", routeBody()),
        () => m.operator().readRoute("chat", {}),
        () => m.operator().readAudit({}),
        () => m.app().readRun(UNKNOWN),
      ];
      for (const call of calls)
        expect(["internal", "unavailable"]).toContain(await refusalOf(call()));
    } finally {
      await m.db.query("grant insert on muniment.audit to muniment_app");
    }
    expect(await count()).toEqual(before);
    await m.app().appendTurns(run, said("works again"));
  });

  it("S1-31 no row holds content, an external id or a search term, whatever was done or refused", async () => {
    const { run } = await start();
    await m.app().appendTurns(run, {
      turns: [{ role: "user", text: SECRET, speaker: SECRET, source_id: SECRET }],
    });
    await refusalOf(m.app().recallTurns(run, { query: SECRET, [SECRET]: SECRET }));
    await refusalOf(m.app().recallTurns(run, { query: SECRET, cursor: SECRET }));
    await refusalOf(m.app().startRun(SECRET, SECRET, { route_id: SECRET, goal: SECRET }));
    await refusalOf(m.app().handoffSlots(run, { from_run: UNKNOWN, slots: [SECRET] }));
    const rows = await m.db.query<{ all: string }>("select a::text as all from muniment.audit a");
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter((row) => row.all.includes(SECRET) || row.all.includes("sentinel"))).toEqual(
      [],
    );
  });
});
