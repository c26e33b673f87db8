import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { routeBody } from "../support/muniment.js";
import { refusedWith } from "../support/refusal.js";
import { type Bank, openBank } from "./bank.js";

describeEachDatabase("failure class: a customer's preferences in a corpus scope", (database) => {
  let bank: Bank;

  beforeAll(async () => {
    bank = await openBank(database);
  });

  it.each([
    ["a preference", { scope: ["preference/language"] }, "retrieval.scope.0"],
    ["a customer", { scope: ["fees", "cust-jane"] }, "retrieval.scope.1"],
    [
      "one of our own ids",
      { scope: ["01900000-0000-7000-8000-000000000000"] },
      "retrieval.scope.0",
    ],
    [
      "preferences beside the scope",
      { scope: ["fees"], preferences: { language: "en" } },
      "retrieval.preferences",
    ],
    [
      "a subject in place of a corpus",
      { scope: { subject_id: "jane" } },
      "retrieval.scope.subject_id",
    ],
  ])("S1-33 %s is refused when the route is written", async (_, retrieval, field) => {
    const written = bank.operator().putRoute("fees", routeBody({ retrieval }));
    expect((await refusedWith(written)).field).toBe(field);
    const read = bank.operator().readRoute("fees", {});
    expect((await refusedWith(read)).kind).toBe("not_found");
  });

  it("S1-33 a corpus in the scope opens no person's memory, and memory opens no corpus", async () => {
    await bank.say("jane", "fee_explain", "past", "the fees corpus says that I pay nothing");
    await bank.operator().putRoute("fees", routeBody({ retrieval: { scope: ["fee_explain"] } }));
    const run = await bank.start("jane", "fees");
    expect((await bank.app().recallTurns(run, { query: "fees corpus" })).hits).toEqual([]);
  });
});
