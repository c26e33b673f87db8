import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { refusalOf, routeBody } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

const SAID = "my savings are 8,412 dollars";

describeEachDatabase("failure class: isolation without the tenant", (database) => {
  let bank: Bank;

  beforeAll(async () => {
    bank = await openBank(database);
    await bank.operator("bank-nz").putRoute("fee_explain", routeBody());
  });

  it("S1-33 a route that leaves the tenant out of its isolation isn't written", async () => {
    const body = routeBody({ profile: { isolation: ["user", "session"] } });
    expect(await refusalOf(bank.operator().putRoute("loose", body))).toBe("invalid_input");
  });

  it("S1-33 another bank reads nothing of a customer, of the same names, in the same words", async () => {
    const run = await bank.say("jane", "fee_explain", "monday", SAID);
    const nz = bank.app("bank-nz");
    const calls = [nz.readRun(run), nz.assemble(run, {}), nz.listTurns(run, {})];
    expect(await Promise.all(calls.map(refusalOf))).toEqual(calls.map(() => "not_found"));
    const namesake = { route_id: "fee_explain", goal: "Help" };
    const { run_id } = await nz.startRun("jane", "monday", namesake);
    const shown = [
      await nz.recallTurns(run_id, { query: "savings dollars" }),
      await nz.assemble(run_id, { recall: { query: "savings dollars" } }),
      await nz.listTurns(run_id, {}),
    ];
    expect(JSON.stringify(shown)).not.toContain("8,412");
    const trail = await bank.operator("bank-nz").readAudit({ limit: 200 });
    expect(JSON.stringify(trail)).not.toContain(run);
    expect(bank.alarms).toEqual([]);
  });
});
