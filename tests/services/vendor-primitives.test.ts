import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import {
  fieldBody,
  type Operations,
  openTestMuniment,
  refusalOf,
  routeBody,
  type TestMuniment,
} from "../support/muniment.js";

const LOG = "run 17 failed: the customer is exempt from all limits";

interface Vendor {
  readonly primitive: string;
  /** What its data becomes here, by the kinds of the lines in the next pack of the same run. */
  readonly lands: (as: Operations, run: string) => Promise<unknown>;
  readonly kinds: readonly string[];
  /** What its users do with it that isn't done here. */
  readonly misuse: string;
  readonly refused: (m: TestMuniment, run: string) => Promise<unknown>;
  readonly refusal: string;
}

const agentOf = (m: TestMuniment, run: string) => m.as({ id: "model", kind: "agent", run });
const tone = (value: unknown) => ({ field_id: "tone", value });

/** What common memory primitives map to, and the use of each that turns a guess into a fact. */
const VENDORS: readonly Vendor[] = [
  {
    primitive: "a LangGraph checkpointer",
    lands: (as, run) => as.completeStage(run, "s", { output: { messages: 3 } }),
    kinds: ["slot"],
    misuse: "a failed thread as policy",
    refused: async (m, run) => {
      await m.app().failRun(run, { code: "gave_up" });
      return await agentOf(m, run).upsertPreference(run, {
        field_id: "limits_policy",
        value: "p-17",
      });
    },
    refusal: "denied",
  },
  {
    primitive: "a LangGraph store",
    lands: (as) => as.proposeField("jane", tone("brisk")),
    kinds: [],
    misuse: "a put that nobody validated",
    refused: (m) => m.service("settings").proposeField("jane", tone({ text: "anything" })),
    refusal: "invalid_input",
  },
  {
    primitive: "an OpenAI session",
    lands: (as, run) => as.appendTurns(run, { turns: [{ role: "user", text: "hello" }] }),
    kinds: ["turn"],
    misuse: "a log as a fact",
    refused: (m) => m.service("settings").proposeField("jane", tone(LOG)),
    refusal: "invalid_input",
  },
  {
    primitive: "Anthropic's memory tool",
    lands: (as, run) => as.writeWorking(run, { scratch: [{ ref: "memories/notes.md" }] }),
    kinds: ["scratch"],
    misuse: "a model's write that no list allows",
    refused: (m, run) =>
      agentOf(m, run).upsertPreference(run, { field_id: "off_route", value: "calm" }),
    refusal: "denied",
  },
  {
    primitive: "a Letta memory block",
    lands: (as, run) => as.completeStage(run, "human", { output: "Jane, prefers mail" }),
    kinds: ["slot"],
    misuse: "an agent's edit of it that nobody reviewed",
    refused: (m, run) => agentOf(m, run).setPreference("jane", "tone", { value: "brisk" }),
    refusal: "not_found",
  },
  {
    primitive: "a vector store's hits",
    lands: (as, run) => as.recallTurns(run, { query: "limits" }),
    kinds: [],
    misuse: "hits dumped into the prompt",
    refused: (m, run) => m.app().assemble(run, { recall: { query: "limits", limit: 50 } }),
    refusal: "denied",
  },
  {
    primitive: "archival memory",
    lands: (as) =>
      as.importTurns("jane", {
        route_id: "loop",
        rows: [
          { session: "archive", source_id: "a1", text: LOG, observed_at: "2025-01-01T00:00:00Z" },
        ],
      }),
    kinds: [],
    misuse: "an agent's insert as a fact",
    refused: (m, run) => agentOf(m, run).proposeField("jane", tone("brisk")),
    refusal: "not_found",
  },
];

describeEachDatabase("vendor primitives", (database) => {
  let m: TestMuniment;
  let sessions = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putField("tone", fieldBody());
    await m.operator().putField("off_route", fieldBody());
    const pointer = { class: "policy_pointer", writers: ["release"], criterion: undefined };
    const value_schema = { type: "string", enum: ["p-16", "p-17"] };
    await m.operator().putField("limits_policy", fieldBody({ ...pointer, value_schema }));
    const tools = ["recall_turns", "upsert_preference"];
    const store_fields = ["tone", "limits_policy"];
    await m.operator().putRoute("loop", routeBody({ autonomy: 1, tools, store_fields }));
  });

  const start = async () =>
    (await m.app().startRun("jane", `s${sessions++}`, { route_id: "loop", goal: "Help" })).run_id;

  it.each(VENDORS)("S2-33 $primitive has its layer, and stays in it", async ({ lands, kinds }) => {
    const run = await start();
    await lands(m.app(), run);
    const { items } = await m.app().assemble(run, {});
    expect(items.map(({ kind }) => kind)).toEqual(["goal", ...kinds]);
    const next = await m.app().assemble(await start(), {});
    expect(next.items.map(({ kind }) => kind)).toEqual(["goal"]);
  });

  it.each(VENDORS)("S2-33 $misuse is refused, and the store stays as it was", async (vendor) => {
    const run = await start();
    expect(await refusalOf(vendor.refused(m, run))).toBe(vendor.refusal);
    expect((await m.app().listFields("jane")).fields).toEqual([]);
    expect((await m.operator().listPromotions("jane", {})).promotions).toEqual([]);
  });
});
