import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { refusalOf } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

describeEachDatabase("failure class: memory that is asked for by user alone", (database) => {
  let bank: Bank;

  beforeAll(async () => {
    bank = await openBank(database);
    await bank.say(
      "jane",
      "fee_explain",
      "last-week",
      "I dispute the withdrawal fee of 42 dollars",
    );
  });

  it("S1-33 last week's dispute isn't on today's payment, asked for or not, and the attempt is audited", async () => {
    const run = await bank.start("jane", "payment_initiate");
    const ask = { query: "disputed withdrawal fee" };
    expect(await refusalOf(bank.app().recallTurns(run, ask))).toBe("mode_none");
    expect(await refusalOf(bank.app().assemble(run, { recall: ask }))).toBe("mode_none");
    const pack = await bank.app().assemble(run, {});
    expect(JSON.stringify(pack)).not.toContain("dispute");
    expect(await bank.refusals(run)).toMatchObject([
      { operation: "assemble", refusal: "mode_none", memory_reads: [] },
      { operation: "recall_turns", refusal: "mode_none", memory_reads: [] },
    ]);
  });

  it("S1-33 a route that may recall still gets nothing of a route that it doesn't list", async () => {
    const listed = await bank.start("jane", "account_history");
    const unlisted = await bank.start("jane", "card_help");
    const ask = { query: "disputed withdrawal fee" };
    expect((await bank.app().recallTurns(listed, ask)).hits).toHaveLength(1);
    expect((await bank.app().recallTurns(unlisted, ask)).hits).toEqual([]);
    const named = { ...ask, source_routes: ["fee_explain"] };
    expect(await refusalOf(bank.app().recallTurns(unlisted, named))).toBe("denied");
  });
});
