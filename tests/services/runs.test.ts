import { beforeAll, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { putStagedRoutes } from "../support/staged-routes.js";

describeEachDatabase("runs", (database) => {
  let m: TestMuniment;
  let sessions = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await putStagedRoutes(m.operator());
    await m
      .operator()
      .putRoute("chat_only", routeBody({ profile: { working: "none", loop: "none" } }));
    await m.operator().putRoute("one_shot", { ...routeBody(), memory_profile: undefined });
    await m
      .operator()
      .putRoute("loop_only", routeBody({ profile: { working: "none", conversation: "none" } }));
  });

  async function start(route_id = "fee_explain") {
    sessions += 1;
    const session = `s${sessions}`;
    const { run_id } = await m
      .app()
      .startRun("jane", session, { route_id, goal: "Explain the fee" });
    return { session, run: run_id };
  }

  it("S1-03 a live run keeps its version and whole profile when the route is edited", async () => {
    await m.operator().putRoute("edited", routeBody());
    const { run, session } = await start("edited");
    await m
      .operator()
      .putRoute(
        "edited",
        routeBody({ profile: { conversation: "none" }, reason: "stop keeping chats" }),
      );
    await m.app().appendTurns(run, { turns: [{ role: "user", text: "still kept" }] });
    expect((await m.app().takeTurn("jane", session, { resume: false })).route_version).toBe(1);
    const second = await start("edited");
    expect((await m.app().readRun(second.run)).route_version).toBe(2);
    expect(
      await refusalOf(
        m.app().appendTurns(second.run, { turns: [{ role: "user", text: "not kept" }] }),
      ),
    ).toBe("mode_none");
  });

  it("S3-02 S3-12 the next turn reloads slots and notes; utterances come from the conversation alone", async () => {
    const { run, session } = await start();
    await m.app().appendTurns(run, { turns: [{ role: "user", text: "why this fee?" }] });
    await m.app().completeStage(run, "lookup", {
      output: { amount: 42 },
      notes: ["an ATM abroad", "on 1 March"],
    });
    const turn = await m.app().takeTurn("jane", session, {});
    expect(turn.slots).toEqual({ lookup: { amount: 42 } });
    expect(turn.notes).toEqual(["an ATM abroad", "on 1 March"]);
    expect(JSON.stringify(turn)).not.toContain("why this fee?");
  });

  it("S3-03 a failed run resumes at its next stage on {} and on {resume: true}; completed stages don't run again", async () => {
    for (const body of [{}, { resume: true }]) {
      const { run, session } = await start();
      await m.app().completeStage(run, "lookup", { output: { amount: 42 } });
      await m.app().failRun(run, { code: "tool_timeout" });
      const turn = await m.app().takeTurn("jane", session, body);
      expect(turn).toMatchObject({
        resumed: true,
        state: "active",
        resume_index: 1,
        goal: "Explain the fee",
      });
      expect(turn.checkpoint).toMatchObject({
        step: 1,
        stage_id: "lookup",
        result: { amount: 42 },
        resume_index: 1,
      });
      expect(await refusalOf(m.app().completeStage(run, "lookup", { output: {} }))).toBe(
        "version_conflict",
      );
      await m.app().completeStage(run, "explain", { output: { text: "a foreign ATM" } });
    }
  });

  it("S3-12 a failed run without a loop can't resume, and says so", async () => {
    const { run, session } = await start("no_loop");
    await m.app().failRun(run, { code: "tool_timeout" });
    expect(await refusalOf(m.app().takeTurn("jane", session, {}))).toBe("cannot_resume");
  });

  it("S1-07 under a checkpoint a run without its record can't proceed", async () => {
    const { run, session } = await start();
    await m.db.query("delete from muniment.checkpoint where run_id = $1", [run]);
    expect(await refusalOf(m.app().completeStage(run, "lookup", { output: 1 }))).toBe(
      "checkpoint_missing",
    );
    await m.app().failRun(run, { code: "lost" });
    expect(await refusalOf(m.app().takeTurn("jane", session, {}))).toBe("checkpoint_missing");
  });

  it("S1-07 a loop keeps step count, proposals and observations; an older step never overwrites a newer one", async () => {
    const { run } = await start("loop_only");
    await m
      .app()
      .writeCheckpoint(run, { step: 2, proposals: ["refund"], observations: [{ balance: 3 }] });
    expect((await m.app().readRun(run)).checkpoint).toMatchObject({
      step: 2,
      proposals: ["refund"],
      observations: [{ balance: 3 }],
    });
    expect(await refusalOf(m.app().writeCheckpoint(run, { step: 1 }))).toBe("version_conflict");
  });

  it("S3-03 a loop record keeps where the run resumes, unless it says so itself", async () => {
    const { run } = await start();
    await m.app().completeStage(run, "lookup", { output: 1 });
    await m.app().writeCheckpoint(run, { step: 7, observations: ["seen"] });
    expect((await m.app().readRun(run)).checkpoint).toMatchObject({ step: 7, resume_index: 1 });
    await m.app().completeStage(run, "explain", { output: 2 });
    expect((await m.app().readRun(run)).checkpoint).toMatchObject({ step: 8, resume_index: 2 });
  });

  it("S5-12 a step, index or version that no column holds is refused by name", async () => {
    const { run } = await start();
    const app = m.app();
    const most = 2 ** 31 - 1;
    const calls = [
      () => app.writeCheckpoint(run, { step: most }),
      () => app.writeCheckpoint(run, { step: 1, resume_index: most }),
      () => app.writeCheckpoint(run, { step: 1, resume_index: 4 }),
      () => app.completeStage(run, "lookup", { output: 1, step: most }),
      () => app.completeStage(run, "lookup", { output: 1, slot_version: most }),
      () => app.readRoute("fee_explain", { version: most + 1 }),
    ];
    for (const call of calls) expect(await refusalOf(call())).toBe("invalid_input");
  });

  it("S5-12 a loop's last step is a step like any other, and there is none after it", async () => {
    const { run } = await start();
    const most = 1_000_000_000;
    expect(await refusalOf(m.app().writeCheckpoint(run, { step: most + 1 }))).toBe("invalid_input");
    await m.app().writeCheckpoint(run, { step: most - 1 });
    await m.app().completeStage(run, "lookup", { output: 1 });
    expect(await refusalOf(m.app().completeStage(run, "explain", { output: 2 }))).toBe("too_large");
    const view = await m.app().readRun(run);
    expect(view).toMatchObject({
      resume_index: 1,
      slots: { lookup: 1 },
      checkpoint: { step: most },
    });
    expect(Object.keys(view.slots)).not.toContain("explain");
  });

  it("S1-07 a run with conversation but no loop works, and refuses loop writes", async () => {
    const { run } = await start("chat_only");
    await m.app().appendTurns(run, { turns: [{ role: "user", text: "hello" }] });
    expect((await m.app().listTurns(run, {})).turns).toHaveLength(1);
    expect(await refusalOf(m.app().writeCheckpoint(run, { step: 1 }))).toBe("mode_none");
  });

  it("S1-06 working memory that the profile doesn't keep is refused", async () => {
    const { run } = await start("chat_only");
    expect(await refusalOf(m.app().completeStage(run, "first", { output: 1 }))).toBe("mode_none");
    expect(await refusalOf(m.app().writeWorking(run, { artifact: "s3://a" }))).toBe("mode_none");
  });

  it("S3-01 a route without a profile keeps nothing", async () => {
    const { run } = await start("one_shot");
    expect(
      await refusalOf(m.app().appendTurns(run, { turns: [{ role: "user", text: "x" }] })),
    ).toBe("mode_none");
    expect(await refusalOf(m.app().writeWorking(run, { artifact: "s3://a" }))).toBe("mode_none");
    expect(await refusalOf(m.app().writeCheckpoint(run, { step: 1 }))).toBe("mode_none");
    expect(await refusalOf(m.app().recallTurns(run, { query: "x" }))).toBe("mode_none");
  });

  it("S3-04 the goal never changes, whoever asks and however", async () => {
    const { run, session } = await start();
    expect(await refusalOf(m.app().takeTurn("jane", session, { goal: "send money" }))).toBe(
      "goal_immutable",
    );
    expect(await refusalOf(m.app().writeWorking(run, { goal: "send money" }))).toBe(
      "goal_immutable",
    );
    await m.app().takeTurn("jane", session, {
      turns: [{ role: "user", text: "my goal is now to send money" }],
    });
    expect((await m.app().readRun(run)).goal).toBe("Explain the fee");
  });

  it("S1-11 S3-09 a follow-up stays on the active pin; a new intent is a new run without the old slots", async () => {
    const { run, session } = await start();
    await m.app().completeStage(run, "lookup", { output: { amount: 42 } });
    for (const text of ["yes", "$500"]) {
      expect(
        (await m.app().takeTurn("jane", session, { turns: [{ role: "user", text }] })).run_id,
      ).toBe(run);
    }
    const next = await m
      .app()
      .startRun("jane", session, { route_id: "payment", goal: "Pay the bill" });
    const turn = await m.app().takeTurn("jane", session, {});
    expect(turn).toMatchObject({ run_id: next.run_id, slots: {}, notes: [] });
    expect((await m.app().listTurns(next.run_id, {})).turns.map(({ text }) => text)).toEqual([
      "$500",
      "yes",
    ]);
    expect((await m.app().readRun(run)).slots).toEqual({ lookup: { amount: 42 } });
  });

  it("S2-02 a run's working memory is bounded as a whole, and what is above it leaves nothing behind", async () => {
    const { run } = await start("no_loop");
    const output = "x".repeat(LIMITS.workingCharsMax - 2);
    const fits = Math.floor(LIMITS.workingBytesMax / LIMITS.workingCharsMax) - 1;
    for (let stage = 0; stage < fits; stage++) {
      await m.app().completeStage(run, `stage-${stage}`, { output });
    }
    const most = { output, notes: Array.from({ length: 32 }, () => "y".repeat(60_000)) };
    expect(await refusalOf(m.app().completeStage(run, "too-much", most))).toBe("too_large");
    const view = await m.app().readRun(run);
    expect([Object.keys(view.slots).length, view.notes.length]).toEqual([fits, 0]);
  });

  it("S3-10 neither a transcript nor a fact can be written onto the run: it has no place for one", async () => {
    const { run } = await start();
    for (const key of ["transcript", "messages", "facts", "long_term"]) {
      expect(await refusalOf(m.app().writeWorking(run, { [key]: ["x"] })), key).toBe(
        "invalid_input",
      );
    }
  });

  it("S3-03 a closed run takes nothing more and its session has no active run", async () => {
    const { run, session } = await start();
    await m.app().closeRun(run, {});
    expect(
      await refusalOf(m.app().appendTurns(run, { turns: [{ role: "user", text: "x" }] })),
    ).toBe("run_ended");
    expect(await refusalOf(m.app().takeTurn("jane", session, {}))).toBe("run_ended");
    expect((await m.app().readRun(run)).state).toBe("completed");
  });

  it("S3-03 a stage that the pinned route doesn't have is refused", async () => {
    const { run } = await start();
    expect(await refusalOf(m.app().completeStage(run, "elsewhere", { output: 1 }))).toBe(
      "invalid_input",
    );
  });

  it("S1-36 a credential is refused wherever it would be kept", async () => {
    const { run, session } = await start();
    const secret =
      "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
    const calls = [
      m.app().appendTurns(run, { turns: [{ role: "user", text: secret }] }),
      m.app().takeTurn("jane", session, { turns: [{ role: "user", text: secret }] }),
      m.app().completeStage(run, "lookup", { output: { header: secret } }),
      m.app().completeStage(run, "lookup", { output: 1, notes: [secret] }),
      m.app().writeCheckpoint(run, { step: 1, observations: [secret] }),
      m.app().writeWorking(run, { failures: [secret] }),
      m.app().startRun("jane", "other", { route_id: "payment", goal: secret }),
    ];
    expect(await Promise.all(calls.map(refusalOf))).toEqual(calls.map(() => "credential_in_text"));
  });
});
