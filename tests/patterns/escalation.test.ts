import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { refusalOf } from "../support/muniment.js";
import { openPatternBank, type PatternBank } from "./bank.js";

const REASON = "the ledger contradicts the customer";

describeEachDatabase("escalation", (database) => {
  let bank: PatternBank;
  let people = 0;

  beforeAll(async () => {
    bank = await openPatternBank(database);
    await bank.putRoute("flow", {
      autonomy: 2,
      stages: [{ stage_id: "check", tools: ["ledger_search"] }, { stage_id: "answer" }],
    });
    await bank.putRoute("agent", {
      autonomy: 3,
      stages: [{ stage_id: "check", tools: ["escalate_run"] }],
    });
    await bank.putRoute("no_loop", {
      autonomy: 2,
      profile: { loop: "none", working: "none" },
      stages: [{ stage_id: "check" }],
    });
  });

  async function waiting() {
    people += 1;
    const subject = `asker-${people}`;
    const app = bank.m.app();
    const { run_id: run } = await app.startRun(subject, "now", { route_id: "flow", goal: "Check" });
    await app.escalateRun(run, { reason: REASON, evidence: ["ledger:b-7"] });
    return { subject, run };
  }

  it("S2-36 an escalated run waits visibly, with who raised it, reason and evidence", async () => {
    const { subject, run } = await waiting();
    const seen = {
      state: "waiting",
      escalation: {
        reason: REASON,
        evidence: ["ledger:b-7"],
        raised_by: "service",
        raised_at: "2026-03-01T09:00:00.000Z",
        answer: null,
        answered_at: null,
      },
    };
    expect(await bank.m.operator().readRun(run)).toMatchObject(seen);
    expect(await bank.m.app().takeTurn(subject, "now", { resume: false })).toMatchObject(seen);
    const rows = await bank.m.db.query("select * from muniment.escalation where run_id = $1", [
      run,
    ]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(REASON);
    const [row] = rows;
    expect(await auditedWrites(run)).toContainEqual([
      { kind: "run", ids: [run] },
      { kind: "escalation", ids: [row?.escalation_id] },
    ]);
  });

  const auditedWrites = async (run: string) => {
    const rows = await bank.m.db.query<{ memory_writes: unknown }>(
      "select memory_writes from muniment.audit where run_id = $1",
      [run],
    );
    return rows.map(({ memory_writes }) => memory_writes);
  };

  it("S2-36 while it waits, turns, stages and every other write are refused", async () => {
    const { subject, run } = await waiting();
    const app = bank.m.app();
    const turns = [{ role: "user" as const, text: "yes, go on" }];
    const writes = [
      () => app.takeTurn(subject, "now", {}),
      () => app.takeTurn(subject, "now", { resume: true }),
      () => app.takeTurn(subject, "now", { turns }),
      () => app.appendTurns(run, { turns }),
      () => app.completeStage(run, "check", { output: 1 }),
      () => app.writeWorking(run, { questions: ["?"] }),
      () => app.writeCheckpoint(run, { step: 5 }),
      () => app.useTool(run, { tool: "ledger_search" }),
      () => app.projectChild(run, { route_id: "flow", goal: "child", slots: [] }),
      () => app.escalateRun(run, { reason: "again" }),
      () => app.failRun(run, { code: "lost" }),
      () => app.closeRun(run, {}),
      () => bank.resume(subject),
    ];
    for (const write of writes) expect(await refusalOf(write())).toBe("run_waiting");
    expect(await app.readRun(run)).toMatchObject({ state: "waiting", slots: {}, notes: [] });
  });

  it("S2-36 only a human with the right resumes it, and only once", async () => {
    const { subject, run } = await waiting();
    const { m } = bank;
    const answer = { answer: "The ledger is right." };
    const others = [
      m.app(),
      m.as({ id: "svc", kind: "service", roles: ["app", "operator", "supervisor"] }),
      m.as({ id: "agent", kind: "agent", roles: ["operator"], run }),
      m.customer(subject),
    ];
    for (const other of others)
      expect(await refusalOf(other.resumeRun(run, answer))).toBe("denied");
    const sue = m.as({ id: "sue", kind: "human", roles: ["supervisor"] });
    expect(await sue.resumeRun(run, answer)).toMatchObject({ state: "active" });
    expect(await m.app().readRun(run)).toMatchObject({
      state: "active",
      notes: ["The ledger is right."],
      escalation: { reason: REASON, answer: "The ledger is right." },
    });
    expect(await refusalOf(sue.resumeRun(run, answer))).toBe("version_conflict");
    await m.app().completeStage(run, "check", { output: { ok: true } });
  });

  it("S2-36 a run that never waited, has ended or has expired can't be resumed so", async () => {
    const { m } = bank;
    const { run_id: active } = await m
      .app()
      .startRun("idle", "now", { route_id: "flow", goal: "x" });
    const answer = { answer: "go on" };
    expect(await refusalOf(m.operator().resumeRun(active, answer))).toBe("version_conflict");
    await m.app().closeRun(active, {});
    expect(await refusalOf(m.operator().resumeRun(active, answer))).toBe("run_ended");
    const { run } = await waiting();
    m.clock.forward({ hours: 25 });
    expect(await refusalOf(m.operator().resumeRun(run, answer))).toBe("run_expired");
  });

  it("S2-36 S1-36 a credential is refused in reason, evidence and answer", async () => {
    const { run } = await waiting();
    const secret = "Bearer abcdefghijklmnopqrstuvwxyz0123456789";
    const app = bank.m.app();
    const { run_id } = await app.startRun("kay", "now", { route_id: "flow", goal: "x" });
    const calls = [
      () => app.escalateRun(run_id, { reason: secret }),
      () => app.escalateRun(run_id, { reason: "see", evidence: [secret] }),
      () => bank.m.operator().resumeRun(run, { answer: secret }),
    ];
    for (const call of calls) expect(await refusalOf(call())).toBe("credential_in_text");
  });

  it("S2-36 S5-02 a moved escalation doesn't open, and is reported", async () => {
    const { run } = await waiting();
    const { run: other } = await waiting();
    await bank.m.db.query(
      `update muniment.escalation e set reason_sealed = o.reason_sealed
       from muniment.escalation o where e.run_id = $1 and o.run_id = $2`,
      [run, other],
    );
    const before = bank.m.alarms.length;
    expect(await bank.m.app().readRun(run)).toMatchObject({ state: "waiting", escalation: null });
    expect(bank.m.alarms.length).toBe(before + 1);
  });

  it("S2-36 a capability escalates; after the answer its stage is tried again and sees it", async () => {
    const answers: unknown[] = [];
    const capabilities = {
      check: {
        run: (_: unknown, context: { answer: string | null; escalate(r: string): never }) => {
          answers.push(context.answer);
          return context.answer ?? context.escalate(REASON);
        },
      },
      answer: { notes: true, run: ({ notes }: { notes?: unknown }) => notes },
    };
    const stopped = await bank.run("lea", "flow", { capabilities });
    expect(stopped).toMatchObject({ state: "escalated", reason: REASON });
    await bank.m.operator().resumeRun(stopped.run_id, { answer: "Believe the ledger." });
    expect(await bank.resume("lea", { capabilities })).toMatchObject({
      state: "completed",
      run_id: stopped.run_id,
      output: ["Believe the ledger."],
    });
    expect(answers).toEqual([null, "Believe the ledger."]);
  });

  it("S2-36 a model escalates by a listed tool, and goes on with the human's answer", async () => {
    const input = { reason: REASON, evidence: ["ledger:b-7"] };
    bank.scripted.script({ calls: [{ tool: "escalate_run", input }] });
    const stopped = await bank.run("mia", "agent");
    expect(stopped).toMatchObject({ state: "escalated", reason: REASON });
    expect(bank.scripted.requests[0]?.tools?.map((tool) => tool.function.name)).toEqual([
      "escalate_run",
    ]);
    await bank.m.operator().resumeRun(stopped.run_id, { answer: "Refund it." });
    bank.scripted.script({ text: "Refunded." });
    expect(await bank.resume("mia")).toMatchObject({ state: "completed" });
    const [request] = bank.scripted.requests;
    expect(request?.messages.at(-1)).toMatchObject({
      role: "tool",
      content: '{"output":{"answer":"Refund it."}}',
    });
  });

  it("S2-36 a run that keeps nothing can wait too", async () => {
    const capabilities = {
      check: {
        run: (
          _: unknown,
          { answer, escalate }: { answer: string | null; escalate(r: string): never },
        ) => answer ?? escalate(REASON),
      },
    };
    const stopped = await bank.run("noa", "no_loop", { capabilities });
    await bank.m.operator().resumeRun(stopped.run_id, { answer: "Yes." });
    expect(await bank.resume("noa", { capabilities })).toMatchObject({
      state: "completed",
      output: "Yes.",
    });
  });
});
