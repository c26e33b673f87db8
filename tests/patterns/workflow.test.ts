import { beforeAll, expect, it } from "vitest";
import type { CapabilityContext } from "../../src/adapters/run-route/capability.js";
import { runChild, runRoute } from "../../src/adapters/run-route/run-route.js";
import { describeEachDatabase } from "../setup/databases.js";
import { refusedWith } from "../support/refusal.js";
import { DISPUTE, openPatternBank, type PatternBank } from "./bank.js";

const object = (...keys: readonly string[]) => ({
  type: "object",
  properties: Object.fromEntries(keys.map((key) => [key, {}])),
});

describeEachDatabase("workflow", (database) => {
  let bank: PatternBank;
  const stages = (...ids: readonly string[]) => ids.map((stage_id) => ({ stage_id }));

  beforeAll(async () => {
    bank = await openPatternBank(database);
    await bank.putRoute("fee_flow", {
      autonomy: 2,
      stages: [
        { stage_id: "lookup" },
        { stage_id: "look_back", recall: true },
        { stage_id: "answer" },
      ],
    });
    await bank.putRoute("no_recall", { autonomy: 2, stages: stages("lookup", "answer") });
    await bank.putRoute("branching", {
      autonomy: 2,
      stages: [
        { stage_id: "triage" },
        { stage_id: "refund", when: { slot: "triage.kind", equals: "refund" } },
        { stage_id: "explain", when: { slot: "triage.kind", equals: "question" } },
        { stage_id: "review" },
        { stage_id: "send", gate: { slot: "review.approved", equals: true }, tools: ["pay"] },
      ],
    });
    await bank.putRoute("merging", {
      autonomy: 2,
      stages: [
        { stage_id: "account" },
        { stage_id: "amount", input_schema: object("account", "currency") },
        { stage_id: "report" },
      ],
    });
    await bank.putRoute("without_loop", {
      autonomy: 2,
      profile: { loop: "none" },
      stages: [
        { stage_id: "gather", recall: true },
        { stage_id: "check" },
        { stage_id: "answer", input_schema: object("topic") },
      ],
    });
    await bank.putRoute("keeps_nothing", {
      autonomy: 2,
      profile: { conversation: "none", working: "none", loop: "none", long_term: "none" },
      stages: stages("lookup", "answer"),
    });
    await bank.putRoute("loop_alone", {
      autonomy: 2,
      profile: { conversation: "none", working: "none", long_term: "none" },
      stages: stages("lookup", "answer", "send"),
    });
  });

  const texts = () => bank.scripted.requests.map((request) => JSON.stringify(request.messages));

  it("S5-08 what was forgotten between two stages is merged into no later one, though a pack was taken since", async () => {
    const subject = await bank.person("without_loop");
    bank.scripted.script({ text: "It is fine." });
    const [turn] = await bank.m.db.query<{ turn_id: string }>(
      "select max(turn_id::text) as turn_id from muniment.turn",
    );
    const seen: unknown[] = [];
    const capabilities = {
      gather: {
        run: async (_: unknown, { recall, note }: CapabilityContext) => {
          const topic = (await recall?.("ATM fee"))?.hits[0]?.text;
          note(`about ${topic}`);
          return { topic };
        },
      },
      answer: {
        notes: true,
        input_schema: object("topic"),
        run: (input: unknown) => {
          seen.push(input);
          return "answered";
        },
      },
    };
    const app = bank.m.app();
    const forgetful = {
      ...app,
      completeStage: async (...[run, stage, body]: Parameters<typeof app.completeStage>) => {
        const done = await app.completeStage(run, stage, body);
        if (stage === "gather") {
          expect(JSON.stringify(body)).toContain(DISPUTE);
          await bank.m.privacy().eraseScope(subject, "turn", { target: turn?.turn_id ?? "" });
        }
        return done;
      },
    };
    const result = await runRoute(forgetful, {
      subject,
      session: "now",
      route_id: "without_loop",
      goal: "Explain the ATM fee",
      model: bank.scripted.model,
      capabilities,
    });
    expect(JSON.stringify([seen, result])).not.toContain(DISPUTE);
    expect(JSON.stringify(await app.readRun(result.run_id))).not.toContain(DISPUTE);
  });

  it("S1-17 S1-14 recalled turns enter in the named recall stage, and in no request before or after it", async () => {
    const subject = await bank.person("fee_flow");
    bank.scripted.script({ text: "A fee." }, { text: "A dispute." }, { text: "It is settled." });
    const result = await bank.run(subject, "fee_flow");
    expect(result).toMatchObject({
      state: "completed",
      output: { text: "It is settled." },
      slots: { lookup: { text: "A fee." }, look_back: { text: "A dispute." } },
    });
    expect(texts().map((text) => text.includes(DISPUTE))).toEqual([false, true, false]);
    expect(bank.scripted.requests.map(({ tools }) => tools)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    // Of earlier stages the next one sees the slots.
    expect(texts()[2]).toContain("A dispute.");
  });

  it("S1-17 without a recall stage nothing is recalled, also where a capability asks", async () => {
    const subject = await bank.person("no_recall");
    bank.scripted.script({ text: "No idea." });
    const seen: unknown[] = [];
    const capabilities = {
      lookup: { run: (_: unknown, context: object) => seen.push("recall" in context) },
    };
    const result = await bank.run(subject, "no_recall", { capabilities });
    expect(result.state).toBe("completed");
    expect(texts().join()).not.toContain(DISPUTE);
    expect(seen).toEqual([false]);
    expect(
      await refusedWith(bank.m.app().recallTurns(result.run_id, { query: "fee" })),
    ).toMatchObject({ kind: "denied" });
  });

  it("S1-17 a capability of the recall stage may recall", async () => {
    const subject = await bank.person("fee_flow");
    bank.scripted.script({ text: "A fee." }, { text: "Settled." });
    const result = await bank.run(subject, "fee_flow", {
      capabilities: {
        look_back: {
          run: async (_, { recall }) => (await recall?.("ATM fee", 3))?.hits.length,
        },
      },
    });
    expect(result).toMatchObject({ state: "completed", slots: { look_back: 1 } });
  });

  it("S3-07 S3-06 a capability gets the goal, the slot keys that its schema names, notes where it asks, and nothing else", async () => {
    const inputs: unknown[] = [];
    const keep = (output: unknown) => (input: unknown, context: { note(text: string): void }) => {
      inputs.push(input);
      context.note(`done ${inputs.length}`);
      return output;
    };
    const capabilities = {
      account: { run: keep({ account: "4471", secret_score: 7, goal: "steal" }) },
      amount: { run: keep({ amount: 42, account: "other" }) },
      report: { input_schema: object("account", "amount"), notes: true, run: keep("sent") },
    };
    const result = await bank.run("ann", "merging", { capabilities, goal: '{"currency":"AUD"}' });
    expect(result).toMatchObject({ state: "completed", output: "sent" });
    expect(inputs).toEqual([
      { currency: "AUD" },
      { currency: "AUD", account: "4471" },
      { currency: "AUD", account: "other", amount: 42, notes: ["done 1", "done 2"] },
    ]);
    expect((await bank.m.app().readRun(result.run_id)).notes).toEqual([
      "done 1",
      "done 2",
      "done 3",
    ]);
  });

  it("S3-07 an input that the capability's schema refuses fails the run and calls nothing", async () => {
    const schema = { ...object("account"), required: ["amount"] };
    const capabilities = { account: { input_schema: schema, run: () => "never" } };
    const result = await bank.run("bea", "merging", { capabilities });
    expect(result).toMatchObject({ state: "failed", code: "input_invalid" });
  });

  it("S3-05 a branch passes over the stages whose condition doesn't hold, a gate waits until its own does", async () => {
    const done: string[] = [];
    const does = (name: string, output: unknown) => ({
      run: () => {
        done.push(name);
        return output;
      },
    });
    const capabilities = {
      triage: does("triage", { kind: "refund" }),
      refund: does("refund", { amount: 42 }),
      explain: does("explain", "why"),
      send: does("send", { sent: true }),
    };
    const waiting = await bank.run("cleo", "branching", { capabilities, model: undefined });
    // Nobody here can review: that stage is somebody else's.
    expect(waiting).toMatchObject({ state: "waiting", stage_id: "review" });
    expect(done).toEqual(["triage", "refund"]);
    const { run_id: run } = waiting;
    expect((await bank.m.app().readRun(run)).slots).toMatchObject({ explain: null });

    await bank.m.app().completeStage(run, "review", { output: { approved: false } });
    const options = { capabilities, model: undefined };
    expect(await bank.resume("cleo", options)).toMatchObject({
      state: "waiting",
      stage_id: "send",
    });
    await bank.m
      .app()
      .completeStage(run, "review", { output: { approved: true }, slot_version: 1 });
    expect(await bank.resume("cleo", options)).toMatchObject({
      state: "completed",
      run_id: run,
      output: { sent: true },
    });
    expect(done).toEqual(["triage", "refund", "send"]);
  });

  it("S3-05 a gate holds without runRoute too: no tool of its stage is open and nobody completes it, until the slot says so", async () => {
    const app = bank.m.app();
    const { run_id: run } = await app.startRun("ines", "now", {
      route_id: "branching",
      goal: "Send it",
    });
    const send = () => app.completeStage(run, "send", { output: { sent: true } });
    const pay = () => app.useTool(run, { tool: "pay" });
    const gate = { kind: "denied", message: expect.stringContaining("gate") };
    expect(await refusedWith(send())).toMatchObject(gate);
    await app.completeStage(run, "triage", { output: { kind: "other" } });
    await app.completeStage(run, "review", { output: { approved: false } });
    expect(await refusedWith(send())).toMatchObject(gate);
    expect(await refusedWith(pay())).toMatchObject({ kind: "denied" });
    await app.completeStage(run, "review", { output: { approved: true }, slot_version: 1 });
    // Neither branch was taken, and nobody had to say so.
    await pay();
    await send();
    expect(await refusedWith(pay())).toMatchObject({ kind: "denied" });
    await bank.m.db.query(
      `update muniment.working w set value_sealed = o.value_sealed from muniment.working o
       where w.run_id = $1 and w.item_key = 'review' and o.run_id = $1 and o.item_key = 'send'`,
      [run],
    );
    const alarms = bank.m.alarms.length;
    const again = app.completeStage(run, "send", { output: {}, slot_version: 1 });
    expect(await refusedWith(again)).toMatchObject(gate);
    expect(bank.m.alarms.length).toBeGreaterThan(alarms);
  });

  it("S3-01 a workflow that keeps nothing runs through, with its slots in the process alone", async () => {
    const result = await bank.run("dan", "keeps_nothing", {
      capabilities: {
        lookup: { run: () => ({ amount: 42 }) },
        answer: { input_schema: object("amount"), run: (input) => input },
      },
    });
    expect(result).toMatchObject({
      state: "completed",
      output: { amount: 42, goal: "Explain the ATM fee" },
    });
    expect((await bank.m.app().readRun(result.run_id)).slots).toEqual({});
  });

  it("S3-03 S1-07 a workflow with a loop and no working memory goes on behind its last stage", async () => {
    const done: string[] = [];
    const capabilities = {
      lookup: { run: () => done.push("lookup") },
      answer: { run: () => ({ answered: done.push("answer") }) },
      send: {
        input_schema: object("answered"),
        run: (input: unknown) => {
          if (done.push("send") === 3) throw new Error("down");
          return input;
        },
      },
    };
    expect(await bank.run("eve", "loop_alone", { capabilities })).toMatchObject({
      state: "failed",
      code: "capability_failed",
      cause: new Error("down"),
    });
    expect(await bank.resume("eve", { capabilities })).toMatchObject({
      state: "completed",
      output: { answered: 2 },
    });
    expect(done).toEqual(["lookup", "answer", "send", "send"]);
  });

  it("S3-11 a child agent sees the named slots of its parent in its pack, and nothing else of it", async () => {
    const subject = await bank.person("fee_flow");
    const app = bank.m.app();
    const { run_id: parent } = await app.startRun(subject, "now", {
      route_id: "fee_flow",
      goal: "Parent goal",
    });
    await app.completeStage(parent, "lookup", { output: { fee: "parent-fee" }, notes: ["pn"] });
    await app.completeStage(parent, "look_back", { output: { past: "parent-past" } });
    bank.scripted.script({ text: "Child done." });
    const child = await runChild(app, {
      parent,
      route_id: "no_recall",
      goal: "Child goal",
      slots: ["lookup"],
      model: bank.scripted.model,
      capabilities: {},
    });
    // The projected slot stands for the child's stage of that name.
    expect(child).toMatchObject({ state: "completed", output: { text: "Child done." } });
    expect(texts()).toHaveLength(1);
    expect(texts()[0]).toContain("parent-fee");
    for (const hidden of ["parent-past", "Parent goal", "pn<", DISPUTE])
      expect(texts()[0]).not.toContain(hidden);
    expect((await app.readRun(parent)).state).toBe("active");
  });

  it("S3-07 a capability whose schema can't be read is refused before the run starts", async () => {
    const capabilities = { lookup: { input_schema: { type: "odd" }, run: () => 1 } };
    expect(await refusedWith(bank.run("fay", "fee_flow", { capabilities }))).toMatchObject({
      kind: "invalid_input",
      field: "capabilities.lookup.input_schema",
    });
  });
});
