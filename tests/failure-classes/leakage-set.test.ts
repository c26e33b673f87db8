import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { fieldBody, type Operations, routeBody } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

const SECRET = "wombat";

describeEachDatabase("leakage set", (database) => {
  let bank: Bank;
  let episodes: string;

  beforeAll(async () => {
    bank = await openBank(database);
    await bank.operator().putField("tone", fieldBody());
    await bank
      .operator()
      .putRoute("fee_explain", routeBody({ store_fields: ["tone"], reason: "store" }));
    const tenant = bank.operator("bank-nz");
    await tenant.putRoute("fee_explain", routeBody());
    // Jane's memory on route A: turns, slots, a preference, and an episode of a closed chat.
    const run = await bank.say(
      "jane",
      "fee_explain",
      "old",
      `The late fee of the ${SECRET}. Is it refunded?`,
    );
    await bank.app().completeStage(run, "facts", { output: { word: SECRET } });
    await bank.app().closeSession("jane", "old", {});
    await bank.jobs.run();
    await bank.reviewer().setPreference("jane", "tone", { value: SECRET });
    episodes = await bank.start("jane", "fee_explain", "new");
  });

  /** All that a run's caller can be shown by it. */
  async function shownTo(as: Operations, run: string): Promise<string> {
    const query = { query: `late fee ${SECRET} refunded` };
    const shown: unknown[] = [];
    for (const read of [
      () => as.assemble(run, { recall: query }),
      () => as.assemble(run, {}),
      () => as.recallTurns(run, query),
      () => as.recallEpisodes(run, query),
      () => as.recallObservations(run, { ...query, scope: "both" }),
      () => as.listTurns(run, {}),
      () => as.readRun(run),
      () => as.lastTime(run, {}),
    ])
      shown.push(await read().catch((error: Error) => error.message));
    return JSON.stringify(shown);
  }

  it("S1-32 the set means something: who may be shown it is", async () => {
    expect(await shownTo(bank.app(), episodes)).toContain(SECRET);
  });

  it.each<[string, () => Promise<string>]>([
    ["an episode of route A on route B", () => bank.start("jane", "card_help", "other")],
    ["route A's memory where nothing is kept long", () => bank.start("jane", "payment_initiate")],
    ["one customer's memory in another's chat", () => bank.start("tom", "fee_explain")],
    [
      "one bank's memory in another bank",
      async () => {
        const asked = { route_id: "fee_explain", goal: "x" };
        return (await bank.app("bank-nz").startRun("jane", "new", asked)).run_id;
      },
    ],
  ])("S1-32 nothing leaks: %s", async (what, start) => {
    const run = await start();
    const as = what.includes("another bank") ? bank.app("bank-nz") : bank.app();
    const shown = await shownTo(as, run);
    expect(shown).not.toContain(SECRET);
  });

  it("S1-32 S1-10 nothing leaks: what ran out, and what was forgotten", async () => {
    bank.clock.forward({ hours: 24 * 400 });
    const late = await bank.start("jane", "card_help", "late");
    expect(await shownTo(bank.app(), late)).not.toContain(SECRET);
    await bank.privacy().eraseSubject("jane", {});
    const again = await bank.start("jane", "fee_explain", "new");
    expect(await shownTo(bank.app(), again)).not.toContain(SECRET);
  });
});
