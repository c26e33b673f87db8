import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { refusedWith } from "../support/refusal.js";

const WAIVED = "The teller waived the foreign card fee for ever";
const said = (text: string, role = "user") => ({ role, text });

describeEachDatabase("diagnose", (database) => {
  let m: TestMuniment;
  let sessions = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  async function start(session = `s${sessions++}`) {
    const body = { route_id: "chat", goal: "Explain the fee" };
    const { run_id } = await m.app().startRun("jane", session, body);
    return { session, run: run_id };
  }

  async function lineOf(pack: string, kind: string) {
    const { lines } = await m.operator().diagnosePack(pack, {});
    const line = lines.find((one) => one.kind === kind);
    if (line === undefined) throw new Error(`no ${kind} in the pack`);
    return line;
  }

  const found = ({ findings }: Awaited<ReturnType<typeof lineOf>>) =>
    findings.filter((finding) => finding.found).map(({ step }) => step);

  it("S2-32 each line is walked in one order, and says which memory it came from and which write put it there", async () => {
    m.clock.forward({ seconds: 1 });
    const { run } = await start();
    m.clock.forward({ seconds: 1 });
    const stage = await m.app().completeStage(run, "lookup", { output: 42, notes: ["abroad"] });
    m.clock.forward({ seconds: 1 });
    const working = await m.app().writeWorking(run, { questions: ["which card?"] });
    const turns = await m.app().appendTurns(run, { turns: [said("why this fee?")] });
    const { pack_id } = await m.app().assemble(run, {});
    const { lines } = await m.operator().diagnosePack(pack_id, {});
    for (const { findings } of lines) {
      expect(findings.map(({ step }) => step)).toEqual([
        "promotion_log",
        "working_assembly",
        "retrieval",
        "episodic_paste",
      ]);
    }
    expect(lines.map(({ kind, origin, put_by }) => [kind, origin, put_by?.operation])).toEqual([
      ["goal", "working", "start_run"],
      ["question", "working", "write_working"],
      ["slot", "working", "complete_stage"],
      ["note", "working", "complete_stage"],
      ["turn", "conversation", "append_turns"],
    ]);
    expect(lines.map((line) => line.put_by?.audit_id).slice(1)).toEqual(
      [working, stage, stage, turns].map(({ decision }) => decision.audit_id),
    );
    expect(lines[2]?.put_by).toMatchObject({
      principal_kind: "service",
      policy_ids: ["app_runs_routes"],
      run_id: run,
    });
    expect(lines.every((line) => line.next_step.length > 0)).toBe(true);
  });

  it("S2-32 a recalled line names the route and session that it came from, and its import", async () => {
    await m.app().importTurns("jane", {
      route_id: "chat",
      rows: [
        { session: "past", source_id: "p1", text: WAIVED, observed_at: "2020-01-01T00:00:00Z" },
      ],
    });
    const { run } = await start();
    const { pack_id } = await m.app().assemble(run, { recall: { query: "waived fee" } });
    const line = await lineOf(pack_id, "recalled");
    expect([line.origin, line.put_by?.operation, found(line)]).toEqual([
      "evidence",
      "import_turns",
      ["retrieval"],
    ]);
    expect(line.findings[2]?.says).toContain("route chat");
    expect(line.next_step).toContain("recall_from");
  });

  it("S2-32 a slot that holds a copy of recalled text is told apart from one that doesn't", async () => {
    const { run } = await start();
    const { hits } = await m.app().recallTurns(run, { query: "waived fee" });
    await m.app().completeStage(run, "clean", { output: { fee: 4.5 } });
    await m.app().completeStage(run, "facts", { output: { note: `Known: ${WAIVED}.` } });
    const { pack_id } = await m.app().assemble(run, {});
    const { lines } = await m.operator().diagnosePack(pack_id, {});
    const [clean, pasted] = lines.filter(({ kind }) => kind === "slot");
    expect(clean && [clean.origin, found(clean)]).toEqual(["working", ["working_assembly"]]);
    expect(pasted && [pasted.origin, found(pasted)]).toEqual([
      "evidence",
      ["working_assembly", "retrieval"],
    ]);
    expect(pasted?.findings[2]?.refs).toEqual(
      hits.filter(({ text }) => text === WAIVED).map(({ turn_id }) => turn_id),
    );
    expect(JSON.stringify(lines)).not.toContain("waived the foreign");
  });

  it("S2-32 an episode is named with its session and its writer; a copy of it in a slot is found", async () => {
    const old = await start("closing");
    await m.app().completeStage(old.run, "decide", { output: "refund the late fee of 35 dollars" });
    await m.app().closeSession("jane", "closing", {});
    await m.jobs.run();
    const { run } = await start();
    const recalled = await m.app().assemble(run, { recall: { query: "refund late fee" } });
    const episode = await lineOf(recalled.pack_id, "episode");
    expect([episode.origin, episode.put_by?.operation, found(episode)]).toEqual([
      "episode",
      "compress_session",
      ["episodic_paste"],
    ]);
    const copy = { output: { told: "They said: refund the late fee of 35 dollars!" } };
    await m.app().completeStage(run, "facts", copy);
    const { pack_id } = await m.app().assemble(run, {});
    const slot = await lineOf(pack_id, "slot");
    expect([slot.origin, found(slot)]).toEqual(["episode", ["working_assembly", "episodic_paste"]]);
    expect(slot.findings[3]?.refs).toEqual(episode.source);
  });

  it("S2-32 what a person says again in their own words isn't called a copy", async () => {
    const { run } = await start();
    await m.app().recallTurns(run, { query: "waived fee" });
    await m.app().appendTurns(run, { turns: [said(WAIVED)] });
    const { pack_id } = await m.app().assemble(run, {});
    expect((await lineOf(pack_id, "turn")).origin).toBe("conversation");
  });

  it("S2-32 a slot that was handed over names the run that it was carried from", async () => {
    const { session, run } = await start();
    await m.app().completeStage(run, "facts", { output: { limit: 5 } });
    m.clock.forward({ seconds: 1 });
    const next = await start(session);
    await m.app().handoffSlots(next.run, { from_run: run, slots: ["facts"] });
    const { pack_id } = await m.app().assemble(next.run, {});
    const line = await lineOf(pack_id, "slot");
    expect(line.put_by).toMatchObject({ operation: "handoff_slots", from_run: run });
    expect(line.findings[1]?.says).toContain(run);
  });

  it("S2-32 a line that was written again since, or is gone since, is said to be", async () => {
    const { run } = await start();
    const { slot_version } = await m.app().completeStage(run, "facts", { output: 1 });
    const { pack_id } = await m.app().assemble(run, {});
    m.clock.forward({ seconds: 1 });
    await m.app().completeStage(run, "facts", { output: 2, slot_version });
    expect((await lineOf(pack_id, "slot")).findings[1]?.says).toContain("written again since");
    m.clock.forward({ hours: 25 });
    const line = await lineOf(pack_id, "slot");
    expect([line.origin, line.put_by, found(line)]).toEqual(["gone", null, []]);
  });

  it("S2-32 one line can be asked for; one that isn't in the pack is refused by name", async () => {
    const { run } = await start();
    await m.app().completeStage(run, "facts", { output: 1 });
    const { pack_id } = await m.app().assemble(run, {});
    const { lines } = await m.operator().diagnosePack(pack_id, { line: 2 });
    expect(lines.map(({ line, kind }) => [line, kind])).toEqual([[2, "slot"]]);
    for (const line of [0, 3, 1.5]) {
      const refusal = await refusedWith(m.operator().diagnosePack(pack_id, { line }));
      expect(refusal).toMatchObject({ kind: "invalid_input", field: "line" });
    }
  });

  it("S2-32 operators alone diagnose, and each refusal is audited", async () => {
    const { run } = await start();
    const { pack_id } = await m.app().assemble(run, {});
    const askers = [
      ["an application", m.app(), "denied"],
      ["a reader", m.as({ roles: ["reader"] }), "denied"],
      ["the customer", m.customer("jane"), "denied"],
      ["a supervisor", m.as({ kind: "human", roles: ["supervisor"] }), "denied"],
      ["another tenant's operator", m.operator("bank-nz"), "not_found"],
    ] as const;
    for (const [who, asker, kind] of askers) {
      expect(await refusalOf(asker.diagnosePack(pack_id, {})), who).toBe(kind);
    }
    const [refused] = await m.db.query(
      "select count(*)::integer as n from muniment.audit where operation = 'diagnose_pack' and refusal in ('denied', 'not_found')",
    );
    expect(refused).toEqual({ n: askers.length });
    expect(m.alarms).toEqual([]);
  });
});
