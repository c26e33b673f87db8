import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { DISPUTE, openPatternBank, type PatternBank } from "./bank.js";

const recall = { tool: "recall_turns", input: { query: "ATM fee" } };
const submit = { tool: "payment_submit", input: { amount: 42 } };

describeEachDatabase("staged agent", (database) => {
  let bank: PatternBank;
  let paid: unknown[] = [];
  const capabilities = {
    ledger_search: { run: () => ({ balance: 100 }) },
    payment_submit: {
      input_schema: { type: "object", properties: { amount: { type: "integer" } } },
      run: (input: unknown) => {
        paid.push(input);
        return "accepted";
      },
    },
  };

  beforeAll(async () => {
    bank = await openPatternBank(database);
    const tools = ["recall_turns", "ledger_search", "payment_submit"];
    await bank.putRoute("fee_agent", {
      autonomy: 3,
      tools,
      stages: [
        { stage_id: "collect", tools: ["recall_turns", "ledger_search"] },
        { stage_id: "confirm", tools: ["ledger_search"] },
        { stage_id: "submit", tools: ["payment_submit"] },
      ],
    });
    await bank.putRoute("payment", {
      autonomy: 3,
      profile: { long_term: "none" },
      tools,
      stages: [{ stage_id: "collect", tools: ["recall_turns"] }],
    });
  });

  const shown = () =>
    bank.scripted.requests.map(({ tools }) => tools?.map((tool) => tool.function.name) ?? []);
  const answersOf = (at: number) =>
    (bank.scripted.requests[at]?.messages ?? []).flatMap((message) =>
      message.role === "tool" ? [JSON.parse(message.content)] : [],
    );

  it("S1-18 each stage shows its own tools; past turns come where recall is on the stage's list alone", async () => {
    const subject = await bank.person("fee_agent");
    paid = [];
    bank.scripted.script(
      { calls: [recall] },
      { text: "Collected." },
      { text: "Confirmed." },
      { calls: [submit] },
      { text: "Paid." },
    );
    const result = await bank.run(subject, "fee_agent", { capabilities });
    expect(result).toMatchObject({
      state: "completed",
      output: { text: "Paid." },
      slots: { collect: { text: "Collected." }, confirm: { text: "Confirmed." } },
    });
    expect(shown()).toEqual([
      ["recall_turns", "ledger_search"],
      ["recall_turns", "ledger_search"],
      ["ledger_search"],
      ["payment_submit"],
      ["payment_submit"],
    ]);
    const requests = bank.scripted.requests.map((request) => JSON.stringify(request));
    expect(requests.map((text) => text.includes(DISPUTE))).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
    expect(paid).toEqual([{ amount: 42 }]);
  });

  it("S1-18 S1-04 a tool of another stage is denied and audited, whatever the route's manifest lists", async () => {
    const subject = await bank.person("fee_agent");
    paid = [];
    bank.scripted.script(
      { calls: [submit] },
      { text: "Collected." },
      { calls: [recall] },
      { text: "Confirmed." },
      { text: "Not paid." },
    );
    const result = await bank.run(subject, "fee_agent", { capabilities });
    expect(result.state).toBe("completed");
    expect(answersOf(1)).toEqual([{ error: "denied", message: expect.any(String) }]);
    expect(answersOf(3)).toEqual([{ error: "denied", message: expect.any(String) }]);
    expect(paid).toEqual([]);
    const refusals = (await bank.audited(result.run_id)).filter((row) => row.includes("denied"));
    expect(refusals).toEqual(["use_tool denied", "recall_turns denied"]);
  });

  it("S1-13 S1-18 under long_term none a stage that lists recall shows none, and a leaked call is denied", async () => {
    const subject = await bank.person("payment");
    bank.scripted.script({ calls: [recall] }, { text: "No." });
    const result = await bank.run(subject, "payment", { capabilities });
    expect(shown()[0]).toEqual([]);
    expect(answersOf(1)).toEqual([{ error: "mode_none", message: expect.any(String) }]);
    expect(await bank.audited(result.run_id)).toContain("recall_turns mode_none");
  });

  it("S3-03 S3-05 a failure in a later stage resumes there; completed stages don't run again", async () => {
    const subject = await bank.person("fee_agent");
    bank.scripted.script({ text: "Collected." }, { status: 503 });
    const failed = await bank.run(subject, "fee_agent", { capabilities });
    expect(failed).toMatchObject({ state: "failed", code: "model_failed" });
    bank.scripted.script({ text: "Confirmed." }, { text: "Done." });
    expect(await bank.resume(subject, { capabilities })).toMatchObject({
      state: "completed",
      run_id: failed.run_id,
      slots: {
        collect: { text: "Collected." },
        confirm: { text: "Confirmed." },
        submit: { text: "Done." },
      },
    });
    expect(shown()).toEqual([["ledger_search"], ["payment_submit"]]);
  });
});
