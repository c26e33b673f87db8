import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { refusalOf, routeBody } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

describeEachDatabase(
  "failure class: recall tools on a route without long-term memory",
  (database) => {
    let bank: Bank;

    beforeAll(async () => {
      bank = await openBank(database);
      await bank.say("jane", "fee_explain", "past", "I dispute the withdrawal fee");
    });

    it.each([
      ["on the manifest", { autonomy: 1, tools: ["recall_turns"] }],
      [
        "on a stage's list",
        {
          autonomy: 3,
          tools: ["recall_turns"],
          stages: [{ stage_id: "collect", tools: ["recall_turns"] }],
        },
      ],
      [
        "as a recall stage",
        { autonomy: 2, stages: [{ stage_id: "collect", tools: [], recall: true }] },
      ],
    ])(
      "S1-33 a recall tool %s stays shut: the leaked call is denied and audited",
      async (_, route) => {
        const body = routeBody({
          ...route,
          recall_from: ["fee_explain"],
          profile: { long_term: "none" },
        });
        await bank.operator().putRoute(`transfer_${route.autonomy}`, body);
        const run = await bank.start("jane", `transfer_${route.autonomy}`);
        const agent = bank.as({ id: "model", kind: "agent", run });
        for (const caller of [agent, bank.app()]) {
          expect(await refusalOf(caller.recallTurns(run, { query: "dispute" }))).toBe("mode_none");
        }
        expect(await bank.refusals(run)).toMatchObject([
          { operation: "recall_turns", refusal: "mode_none", memory_reads: [] },
          {
            operation: "recall_turns",
            refusal: "mode_none",
            memory_reads: [],
            principal_kind: "agent",
          },
        ]);
      },
    );
  },
);
