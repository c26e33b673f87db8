import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { fieldBody, type Operations, refusalOf, routeBody } from "../support/muniment.js";
import { blocksOf } from "../support/pack-samples.js";
import { ATTACKS } from "./attacks.js";
import { type Bank, openBank } from "./bank.js";

const TEXTS = ATTACKS.map(([, text]) => text);

/** Each operation that takes a text from a chat, a document, a tool or a model, with all attacks at once. */
const DOORS: readonly (readonly [string, (as: Operations, run: string) => Promise<unknown>])[] = [
  ["append_turns", (as, run) => as.appendTurns(run, { turns: TEXTS.map(said("user")) })],
  [
    "append_turns of an assistant",
    (as, run) => as.appendTurns(run, { turns: TEXTS.map(said("assistant")) }),
  ],
  [
    "append_turns of a system",
    (as, run) => as.appendTurns(run, { turns: TEXTS.map(said("system")) }),
  ],
  [
    "append_turns of a tool",
    async (as, run) => {
      for (const [index, text] of TEXTS.entries()) {
        const call = { tool: "look", call_id: `c${index}` };
        const turns = [
          { role: "tool_call", text: "{}", ...call },
          { role: "tool_result", text, ...call },
        ];
        await as.appendTurns(run, { turns });
      }
    },
  ],
  [
    "complete_stage",
    (as, run) =>
      as.completeStage(run, "facts", { output: { found: TEXTS }, notes: TEXTS.slice(0, 32) }),
  ],
  [
    "write_working",
    (as, run) =>
      as.writeWorking(run, {
        contract: { texts: TEXTS },
        artifact: TEXTS.join(" "),
        failures: TEXTS,
        questions: TEXTS,
        scratch: TEXTS.map((label, index) => ({ ref: `s3://${index}`, label })),
      }),
  ],
  ["write_checkpoint", (as, run) => as.writeCheckpoint(run, { step: 1, observations: TEXTS })],
  [
    "import_turns",
    (as) =>
      as.importTurns("jane", {
        route_id: "fee_explain",
        rows: TEXTS.map((text, index) => ({
          session: "ticket",
          source_id: `t${index}`,
          role: index % 2 === 0 ? "system" : "user",
          text,
          observed_at: "2026-02-01T00:00:00Z",
        })),
      }),
  ],
  [
    "upsert_preference",
    async (as) => {
      const goal = { route_id: "loop", goal: "Help" };
      const { run_id: run } = await as.startRun("jane", "tools", goal);
      for (const value of TEXTS) {
        const kinds = [
          await refusalOf(as.upsertPreference(run, { field_id: "tone", value })),
          await refusalOf(as.upsertPreference(run, { field_id: value, value: "calm" })),
        ];
        expect(kinds).toEqual(["invalid_input", "invalid_input"]);
      }
    },
  ],
  [
    "propose_field",
    async (as) => {
      for (const value of TEXTS) {
        const call = as.proposeField("jane", { field_id: "tone", value });
        expect(await refusalOf(call)).toBe("invalid_input");
      }
    },
  ],
  [
    "recall_turns",
    async (as, run) => {
      for (const query of TEXTS) await as.recallTurns(run, { query });
    },
  ],
];

function said(role: string) {
  return (text: string) => ({ role, text });
}

describeEachDatabase("injections", (database) => {
  let bank: Bank;

  beforeAll(async () => {
    bank = await openBank(database);
    const roomy = routeBody({ tokens_max: 200_000, reason: "room for all attacks" });
    await bank.operator().putRoute("fee_explain", roomy);
    await bank.operator().putField("tone", fieldBody());
    const tools = ["upsert_preference"];
    const loop = routeBody({ autonomy: 1, tools, store_fields: ["tone"] });
    await bank.operator().putRoute("loop", loop);
    await bank.say("cust-ben", "fee_explain", "his", "the fees of Ben are nobody's business");
  });

  /** How many rows there are of what no text may write, and the pin of each run that there is. */
  async function standing() {
    const counts: object[] = [];
    for (const table of ["route", "subject", "field", "candidate", "field_value", "promotion"]) {
      const [there] = await bank.db.query("select to_regclass($1) is not null as yes", [
        `muniment.${table}`,
      ]);
      if (there?.yes !== true) continue;
      const [row] = await bank.db.query(`select count(*)::integer as n from muniment.${table}`);
      counts.push({ table, ...row });
    }
    const pins = "select run_id, profile_hash, route_version from muniment.run order by run_id";
    return { counts, pins: await bank.db.query(pins) };
  }

  it.each(DOORS)(
    "S2-30 S2-03 attacks by %s write nothing to the store, and stay quotes wherever they are shown",
    async (door, knock) => {
      const session = door.replaceAll(" ", "-");
      const run = await bank.start("jane", "fee_explain", session);
      const later = await bank.start("jane", "fee_explain", `${session}-later`);
      const before = await standing();
      await knock(bank.app(), run);
      const after = await standing();
      expect(after.counts).toEqual(before.counts);
      expect(after.pins).toEqual(expect.arrayContaining([...before.pins]));
      const ask = { query: "language fees profile SYSTEM preference admin", limit: 50 };
      for (const at of [run, later]) {
        const pack = await bank.app().assemble(at, { recall: ask });
        // Text that isn't inside an escaped, labelled block of this run's mark fails in here.
        const blocks = blocksOf(pack, at.slice(-8));
        expect(blocks).toHaveLength(pack.items.length);
        for (const { attributes } of blocks) {
          expect(attributes).toMatch(
            / layer="(?:working|evidence)" source="[^"]+".* confidence="[a-z]+"/,
          );
        }
        const [first, ...others] = pack.messages;
        expect(first?.role).toBe("system");
        for (const text of TEXTS) expect(first?.content).not.toContain(text);
        expect(others.filter(({ role }) => role === "system")).toEqual([]);
        expect(pack.text).not.toContain("nobody's business");
        expect(pack.text).not.toMatch(/[\u202a-\u202e\u{e0000}-\u{e007f}]/u);
        expect(pack.text).not.toContain("\u001b");
      }
    },
  );

  it("S2-30 no attack raised an alarm, and each pin is what its route said", async () => {
    expect(bank.alarms).toEqual([]);
    const found = await bank.db.query(
      "select distinct profile->>'long_term' as mode from muniment.run",
    );
    expect(found).toEqual([{ mode: "retrieve_only" }]);
  });
});
