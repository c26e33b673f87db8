import { beforeAll, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits.js";
import { sweep } from "../../src/services/sweep.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

const CARD = "4111 1111 1111 1111";

describeEachDatabase("traces", (database) => {
  let m: TestMuniment;
  let people = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    const put = (route: string, body: Parameters<typeof routeBody>[0], tenant?: string) =>
      m.operator(tenant).putRoute(route, routeBody(body));
    await put("fee_explain", {});
    await put("card_help", { recall_from: ["fee_explain"] });
    await put("payment_initiate", { profile: { long_term: "none" } });
    await put("fee_explain", {}, "bank-nz");
  });

  const someone = () => `person-${people++}`;
  const start = async (person: string, session = "s", route = "fee_explain") =>
    (await m.app().startRun(person, session, { route_id: route, goal: "Talk" })).run_id;

  const told = {
    tools: [
      {
        tool: "core.refund",
        side_effect: "write" as const,
        receipt: { id: "rf-77", note: `paid from ${CARD}`, api_key: "abc" },
      },
      { tool: "ledger_search", side_effect: "read" as const },
    ],
    verdicts: [{ criterion_id: "tone-2", version: 3, verdict: "fail" as const }],
    artifacts: ["case://disputes/771"],
    tickets: ["TCK-4471"],
    cost: { tokens_in: 1_200, tokens_out: 300, amount: 0.02, currency: "USD" },
    revisions: 2,
    prompts: ["You are a bank's agent"],
  };

  /** A run that ends with a full trace. */
  async function ended(person = someone()): Promise<string> {
    const run = await start(person);
    await m.app().completeStage(run, "decide", { output: 1 });
    await m.app().failRun(run, { code: "evaluator_rejected", trace: told });
    return run;
  }

  it("S2-07 S2-09 a trace holds states, reason, tools with their effect, verdicts, pointers, cost and revisions; a query shows no payload", async () => {
    const run = await ended();
    const { traces } = await m.operator().queryTraces({ run });
    expect(traces[0]).toMatchObject({
      run_id: run,
      route_id: "fee_explain",
      outcome: "failed",
      terminal_reason: "evaluator_rejected",
      stages: ["decide"],
      tools: [
        { tool: "core.refund", side_effect: "write", has_receipt: true },
        { tool: "ledger_search", side_effect: "read", has_receipt: false },
      ],
      verdicts: told.verdicts,
      artifacts: 1,
      tickets: 1,
      cost: told.cost,
      revisions: 2,
    });
    expect(JSON.stringify(traces)).not.toMatch(/rf-77|771|TCK|agent/);
  });

  it("S2-07 each way in which a run ends leaves a trace, also one that nobody tells anything of", async () => {
    const person = someone();
    const outcomes = async (run: string) =>
      (await m.operator().queryTraces({ run })).traces.map(({ outcome, terminal_reason }) => [
        outcome,
        terminal_reason,
      ]);
    const completed = await start(person, "a");
    await m.app().closeRun(completed, {});
    expect(await outcomes(completed)).toEqual([["completed", "completed"]]);
    const escalated = await start(person, "b");
    await m.app().escalateRun(escalated, { reason: "it contradicts the ledger" });
    expect(await outcomes(escalated)).toEqual([["waiting", "escalated"]]);
    const left = await start(person, "c");
    await m.app().completeStage(left, "decide", { output: 1 });
    await m.app().closeSession(person, "c", { compress: false });
    expect(await outcomes(left)).toEqual([["closed", "session_closed"]]);
    const [trace] = (await m.operator().queryTraces({ run: left })).traces;
    expect(trace).toMatchObject({ stages: ["decide"], tools: [], revisions: 0 });
  });

  it("S2-09 traces are for those who operate and evaluate, not for the worker", async () => {
    await ended();
    const as = (kind: "service" | "agent" | "human", role: string) =>
      m.as({ id: "x", kind, roles: [role] }).queryTraces({});
    for (const [kind, role] of [
      ["human", "operator"],
      ["service", "evaluator"],
      ["agent", "librarian"],
    ] as const)
      expect((await as(kind, role)).traces.length).toBeGreaterThan(0);
    for (const role of ["app", "reader"])
      expect(await refusalOf(as("service", role))).toBe("denied");
  });

  it("S2-10 a search for another tenant's run is an error and not an empty answer, and names no tenant", async () => {
    const run = await ended();
    const other = m.operator("bank-nz");
    expect(await refusalOf(other.queryTraces({ run }))).toBe("not_found");
    expect((await other.queryTraces({})).traces).toEqual([]);
    const named = { tenant: "bank-au" };
    expect(await refusalOf(other.queryTraces(named))).toBe("scope_in_input");
    const { rows } = await other.readAudit({ verdict: "deny", limit: 1 });
    expect(JSON.stringify(rows)).not.toContain(run);
  });

  it("S2-29 cards, secrets and keyed fields are taken out of a trace before it is sealed", async () => {
    const person = someone();
    const run = await start(person);
    const trace = { ...told, tickets: [`TCK for ${CARD}`] };
    await m.app().closeRun(run, { trace });
    const next = await start(person, "next");
    const { runs } = await m.app().lastTime(next, {});
    expect(runs[0]?.tickets).toEqual(["TCK for [card]"]);
    const [row] = await m.db.query<{ facts_sealed: Uint8Array }>(
      "select facts_sealed from muniment.trace where run_id = $1",
      [run],
    );
    expect(Buffer.from(row?.facts_sealed ?? []).toString("latin1")).not.toContain("4111");
  });

  it("S2-25 the night after, a trace lets go of its prompts and keeps reason, cost and receipts", async () => {
    const run = await ended();
    const prompts = () =>
      m.db.query("select prompts_sealed is null as gone from muniment.trace where run_id = $1", [
        run,
      ]);
    m.clock.forward({ hours: LIMITS.tracePromptHours, milliseconds: LIMITS.sweepGraceMs - 1 });
    await sweep(m.services);
    expect(await prompts()).toEqual([{ gone: false }]);
    m.clock.forward({ milliseconds: 1 });
    const [report] = await sweep(m.services);
    expect(report?.prompts).toBeGreaterThan(0);
    expect(await prompts()).toEqual([{ gone: true }]);
    const [trace] = (await m.operator().queryTraces({ run })).traces;
    expect(trace).toMatchObject({
      rolled_up: true,
      terminal_reason: "evaluator_rejected",
      cost: told.cost,
    });
    expect(trace?.tools[0]?.has_receipt).toBe(true);
  });

  it("S2-23 a trace is unreadable once its clock runs out, and gone with the next sweep", async () => {
    const run = await ended();
    m.clock.forward({ hours: LIMITS.traceDays * 24, milliseconds: -1 });
    expect((await m.operator().queryTraces({ run })).traces).toHaveLength(1);
    m.clock.forward({ milliseconds: 1 });
    expect((await m.operator().queryTraces({ run })).traces).toHaveLength(0);
    m.clock.forward({ milliseconds: LIMITS.sweepGraceMs });
    await sweep(m.services);
    expect(await m.db.query("select from muniment.trace where run_id = $1", [run])).toEqual([]);
  });

  it("S2-40 what happened last time is told on request: earlier runs, tickets, the last escalation, of listed routes alone", async () => {
    const person = someone();
    const first = await ended(person);
    const second = await start(person, "b");
    await m
      .app()
      .escalateRun(second, { reason: "it contradicts the ledger", evidence: ["case://1"] });
    const run = await start(person, "now", "card_help");
    const told_ = await m.app().lastTime(run, {});
    expect(told_.runs.map(({ run_id, outcome }) => [run_id, outcome])).toEqual([
      [second, "waiting"],
      [first, "failed"],
    ]);
    expect(told_.runs[1]?.tickets).toEqual(["TCK-4471"]);
    expect(told_.last_escalation).toMatchObject({ reason: "it contradicts the ledger" });
    const pack = await m.app().assemble(run, {});
    expect(pack.text).not.toMatch(/TCK|ledger/);
    const unlisted = await start(person, "pay", "payment_initiate");
    expect(await refusalOf(m.app().lastTime(unlisted, {}))).toBe("mode_none");
    const other = await m.app().lastTime(await start(someone(), "x"), {});
    expect([other.runs, other.last_escalation]).toEqual([[], null]);
  });
});
