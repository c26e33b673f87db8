import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { refusalOf, routeBody } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

const TENANTS = ["bank-au", "bank-nz"] as const;

describeEachDatabase("attack: a cache key without its tenant", (database) => {
  let bank: Bank;
  const runs = new Map<string, string>();

  beforeAll(async () => {
    bank = await openBank(database);
    await bank.operator("bank-nz").putRoute("fee_explain", routeBody({ tokens_max: 1_234 }));
    for (const tenant of TENANTS) {
      const app = bank.app(tenant);
      const goal = { route_id: "fee_explain", goal: `Goal at ${tenant}` };
      const { run_id } = await app.startRun("jane", "chat", goal);
      await app.appendTurns(run_id, { turns: [{ role: "user", text: `Secret of ${tenant}` }] });
      runs.set(tenant, run_id);
    }
  });

  const runOf = (tenant: string) => runs.get(tenant) ?? "";

  it("S2-37 with every cache warm, the same names and words give each tenant its own", async () => {
    for (let round = 0; round < 2; round++) {
      for (const [tenant, other] of [TENANTS, TENANTS.toReversed()] as const) {
        const app = bank.app(tenant);
        const { route } = await app.readRoute("fee_explain", {});
        expect(route.tokens_max).toBe(tenant === "bank-nz" ? 1_234 : 4_000);
        const turn = await app.takeTurn("jane", "chat", {});
        expect(turn.run_id).toBe(runOf(tenant ?? ""));
        const pack = await app.assemble(turn.run_id, { recall: { query: "secret" } });
        const found = await app.recallTurns(turn.run_id, { query: "secret" });
        const shown = JSON.stringify([pack, found]);
        expect([shown.includes(`Secret of ${tenant}`), shown.includes(`of ${other}`)]).toEqual([
          true,
          false,
        ]);
      }
    }
  });

  it("S2-37 a pin that is cached for its own tenant isn't there for another", async () => {
    const own = runOf("bank-au");
    await bank.app("bank-au").readRun(own);
    const nz = bank.app("bank-nz");
    const calls = [nz.readRun(own), nz.assemble(own, {}), nz.recallTurns(own, { query: "x" })];
    expect(await Promise.all(calls.map(refusalOf))).toEqual(calls.map(() => "not_found"));
  });

  it("S2-37 a repeated idempotency key answers its own tenant alone", async () => {
    const body = { route_id: "fee_explain", goal: "Once" };
    const replies = [];
    for (const tenant of TENANTS) {
      replies.push(await bank.app(tenant, "key-1").startRun("jane", "keyed", body));
    }
    const [au, nz] = replies;
    expect(au?.run_id).not.toBe(nz?.run_id);
    expect((await bank.app("bank-nz", "key-1").startRun("jane", "keyed", body)).run_id).toBe(
      nz?.run_id,
    );
  });
});
