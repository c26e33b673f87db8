import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { routeBody } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

const GUESS = "the customer is a reseller and pays no fee";

describeEachDatabase("injection: a failed run's conclusion in the next run", (database) => {
  let bank: Bank;

  beforeAll(async () => {
    bank = await openBank(database);
    await bank.operator().putRoute("staged", routeBody({ autonomy: 3 }));
  });

  async function failed(session: string): Promise<string> {
    const run = await bank.start("jane", "staged", session);
    await bank.app().completeStage(run, "guess", { output: { verdict: GUESS }, notes: [GUESS] });
    await bank.app().writeWorking(run, { failures: [GUESS], questions: [GUESS], artifact: GUESS });
    await bank.app().writeCheckpoint(run, { step: 2, observations: [GUESS] });
    await bank.app().failRun(run, { code: "gave_up" });
    return run;
  }

  it("S2-30 nothing that a failed run concluded stands in the next run's pack, memory or recall", async () => {
    await failed("same");
    for (const session of ["same", "other"]) {
      const next = await bank.start("jane", "staged", session);
      const shown = [
        await bank.app().assemble(next, {}),
        await bank.app().readRun(next),
        await bank.app().listTurns(next, {}),
      ];
      expect(JSON.stringify(shown), session).not.toContain("reseller");
    }
    const asked = await bank.start("jane", "fee_explain");
    const found = await bank.app().recallTurns(asked, { query: "reseller pays no fee" });
    expect(found.hits).toEqual([]);
  });

  it("S2-30 another customer's next run knows nothing of it either", async () => {
    const next = await bank.start("tom", "staged", "same");
    const pack = await bank.app().assemble(next, {});
    expect(pack.items.map(({ kind }) => kind)).toEqual(["goal"]);
  });
});
