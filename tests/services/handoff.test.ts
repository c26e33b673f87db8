import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

const PACKAGE = {
  artifacts: ["s3://reports/draft-2.md"],
  failures: ["criterion C2 failed: the total is missing"],
  tools_tried: [{ tool: "ledger_search", outcome: "timed out twice" }],
  budget: { tokens: 9_000, steps: 4 },
};

describeEachDatabase("handoff", (database) => {
  let m: TestMuniment;
  let sessions = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("parent", routeBody());
    await m.operator().putRoute("child", routeBody());
  });

  /** A parent with a chat, a slot and a note, and a child that got the slot and the package. */
  async function family() {
    sessions += 1;
    const session = `s${sessions}`;
    const app = m.app();
    const { run_id: parent } = await app.startRun("jane", session, {
      route_id: "parent",
      goal: "Parent goal",
    });
    await app.appendTurns(parent, { turns: [{ role: "user", text: "said to the parent" }] });
    await app.completeStage(parent, "facts", { output: { fee: 42 }, notes: ["parent note"] });
    await app.completeStage(parent, "secret", { output: "parent secret" });
    const { run_id: child } = await app.projectChild(parent, {
      route_id: "child",
      goal: "Find the total",
      slots: ["facts"],
      handoff: PACKAGE,
    });
    return { session, parent, child };
  }

  it("S2-26 S3-11 a child gets goal, package and named slots, and nothing else of its parent", async () => {
    const { child } = await family();
    const pack = await m.app().assemble(child, {});
    expect(
      pack.items.map(({ kind, text }) => [kind, kind === "handoff" ? JSON.parse(text) : text]),
    ).toEqual([
      ["goal", "Find the total"],
      ["handoff", PACKAGE],
      ["slot", '{"fee":42}'],
    ]);
    expect((await m.app().readRun(child)).working).toEqual([{ class: "handoff", value: PACKAGE }]);
  });

  it("S2-26 the transcript doesn't travel, neither by the pack nor by the list of turns; the child's own turns do", async () => {
    const { parent, child } = await family();
    const app = m.app();
    await app.appendTurns(child, { turns: [{ role: "assistant", text: "said by the child" }] });
    const texts = async (run: string) =>
      (await app.listTurns(run, {})).turns.map(({ text }) => text);
    expect(await texts(child)).toEqual(["said by the child"]);
    expect(await texts(parent)).toEqual(["said by the child", "said to the parent"]);
    const { items } = await app.assemble(child, {});
    expect(items.filter(({ kind }) => kind === "turn").map(({ text }) => text)).toEqual([
      "said by the child",
    ]);
  });

  it.each([
    ["a transcript", { ...PACKAGE, transcript: [] }, "invalid_input"],
    ["messages", { messages: [{ role: "user", content: "hi" }] }, "invalid_input"],
    ["a scope", { ...PACKAGE, session: "s1" }, "scope_in_input"],
    ["tools without an outcome", { tools_tried: [{ tool: "ledger_search" }] }, "invalid_input"],
    ["a budget of another kind", { budget: { dollars: 3 } }, "invalid_input"],
    ["a negative budget", { budget: { tokens: -1 } }, "invalid_input"],
    [
      "a credential",
      { failures: ["Bearer abcdefghijklmnopqrstuvwxyz0123456789"] },
      "credential_in_text",
    ],
  ])("S2-26 a package with %s is refused", async (_name, handoff, kind) => {
    const { parent } = await family();
    const body = { route_id: "child", goal: "x", slots: [], handoff };
    expect(await refusalOf(m.app().projectChild(parent, body))).toBe(kind);
  });

  it("S2-26 nobody writes to a pad of both: each run keeps its own, and the package stays as it was", async () => {
    const { parent, child } = await family();
    const app = m.app();
    await app.completeStage(child, "facts", { output: { fee: 0 }, slot_version: 1 });
    await app.writeWorking(child, { failures: ["child failure"], artifact: "child.md" });
    expect(await refusalOf(app.writeWorking(child, { handoff: {} } as object))).toBe(
      "invalid_input",
    );
    expect(await app.readRun(parent)).toMatchObject({
      slots: { facts: { fee: 42 }, secret: "parent secret" },
      working: [],
    });
    expect((await app.readRun(child)).working).toContainEqual({ class: "handoff", value: PACKAGE });
    expect(await refusalOf(app.handoffSlots(child, { from_run: parent, slots: ["facts"] }))).toBe(
      "version_conflict",
    );
  });

  it("S2-26 S1-12 a package goes along with named slots across a route switch too", async () => {
    const { session, parent } = await family();
    const app = m.app();
    const { run_id: next } = await app.startRun("jane", session, {
      route_id: "child",
      goal: "Next goal",
    });
    await app.handoffSlots(next, { from_run: parent, slots: ["facts"], handoff: PACKAGE });
    expect(await app.readRun(next)).toMatchObject({
      goal: "Next goal",
      slots: { facts: { fee: 42 } },
      working: [{ class: "handoff", value: PACKAGE }],
    });
  });

  it("S2-26 a pin whose parent was taken away isn't opened: a child can't become a reader of the chat", async () => {
    const { child } = await family();
    m.services.caches.pins.clear();
    await m.db.query("update muniment.run set parent_run_id = null where run_id = $1", [child]);
    expect(await refusalOf(m.app().listTurns(child, {}))).toBe("not_found");
  });
});
