import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { type Operations, refusalOf, routeBody } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

const TOKEN = "Authorization: Bearer kf83jd92md02kd93jd82ls";
const turn = { role: "user", text: TOKEN };

const DOORS: readonly (readonly [string, (as: Operations, run: string) => Promise<object>])[] = [
  ["a goal", (as) => as.startRun("jane", "new", { route_id: "fee_explain", goal: TOKEN })],
  ["a turn", (as, run) => as.appendTurns(run, { turns: [turn] })],
  [
    "a tool's answer",
    (as, run) =>
      as.appendTurns(run, {
        turns: [
          { role: "tool_call", text: "{}", tool: "look", call_id: "1" },
          { role: "tool_result", text: TOKEN, tool: "look", call_id: "1" },
        ],
      }),
  ],
  ["a turn of the session", (as) => as.takeTurn("jane", "chat", { turns: [turn] })],
  [
    "an imported turn alone",
    (as) =>
      as
        .importTurns("jane", {
          route_id: "fee_explain",
          rows: [
            { session: "p", source_id: "1", text: TOKEN, observed_at: "2020-01-01T00:00:00Z" },
          ],
        })
        .then(({ rows }) => Promise.reject(rows[0]?.refusal)),
  ],
  ["a slot", (as, run) => as.completeStage(run, "s", { output: { header: TOKEN } })],
  ["a note", (as, run) => as.completeStage(run, "s", { output: 1, notes: [TOKEN] })],
  ["a checkpoint", (as, run) => as.writeCheckpoint(run, { step: 1, result: { a: [TOKEN] } })],
  ["a contract", (as, run) => as.writeWorking(run, { contract: { text: TOKEN } })],
  ["a failure", (as, run) => as.writeWorking(run, { failures: [TOKEN] })],
  ["a question", (as, run) => as.writeWorking(run, { questions: [TOKEN] })],
  ["a scratch ref", (as, run) => as.writeWorking(run, { scratch: [{ ref: "r", label: TOKEN }] })],
];

describeEachDatabase("failure class: credentials as chat state", (database) => {
  let bank: Bank;
  let run: string;

  beforeAll(async () => {
    bank = await openBank(database);
    run = await bank.start("jane", "fee_explain", "chat");
  });

  it.each(DOORS)("S1-33 a token in %s is refused and kept nowhere", async (_, knock) => {
    const kind = await refusalOf(knock(bank.app(), run)).catch((refusal: unknown) => refusal);
    expect(kind).toSatisfy(
      (it) => it === "credential_in_text" || (it as { kind: string }).kind === "credential_in_text",
    );
    const shown = [await bank.app().readRun(run), await bank.app().assemble(run, {})];
    expect(JSON.stringify(shown)).not.toContain("Bearer");
  });

  it("S1-33 a route's reason and a recall take none either, and none is in the audit trail", async () => {
    const reason = await refusalOf(bank.operator().putRoute("noted", routeBody({ reason: TOKEN })));
    expect(reason).toBe("credential_in_text");
    await bank.app().recallTurns(run, { query: TOKEN });
    const found = await bank.db.query("select audit::text from muniment.audit");
    expect(JSON.stringify(found)).not.toContain("kf83jd92");
  });
});
