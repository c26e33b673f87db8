import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { refusalOf, routeBody } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

const SAID = "my other card ends in 7731";

describeEachDatabase("failure class: isolation without the session", (database) => {
  let bank: Bank;

  beforeAll(async () => {
    bank = await openBank(database);
  });

  it("S1-33 a route that leaves the session out of its isolation isn't written", async () => {
    for (const isolation of [["tenant", "user"], ["tenant"], []]) {
      const body = routeBody({ profile: { isolation } });
      expect(await refusalOf(bank.operator().putRoute("loose", body))).toBe("invalid_input");
    }
    expect(await refusalOf(bank.operator().readRoute("loose", {}))).toBe("not_found");
  });

  it("S1-33 the same customer's other chat shows neither turns nor slots of the first", async () => {
    const first = await bank.say("jane", "fee_explain", "monday", SAID);
    await bank.app().completeStage(first, "facts", { output: { card: SAID }, notes: [SAID] });
    const second = await bank.start("jane", "fee_explain", "tuesday");
    const shown = [
      await bank.app().assemble(second, {}),
      await bank.app().listTurns(second, {}),
      await bank.app().readRun(second),
    ];
    expect(JSON.stringify(shown)).not.toContain("7731");
    const tuesday = bank.customer("jane", "tuesday");
    expect(await refusalOf(tuesday.listTurns(first, {}))).toBe("not_found");
    expect(await refusalOf(tuesday.assemble(first, {}))).toBe("not_found");
    expect(bank.alarms).toEqual([]);
  });
});
