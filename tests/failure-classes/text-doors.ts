import { expect } from "vitest";
import { LIMITS } from "../../src/domain/limits.js";
import type { Retrieval } from "../../src/services/retrieval.js";
import { refusalOf } from "../support/muniment.js";
import { TEXTS } from "./attacks.js";
import type { Bank } from "./bank.js";

type Knock = (bank: Bank, run: string, session: string) => Promise<unknown>;

/** Another run whose pack shows what was knocked with. */
export interface Elsewhere {
  readonly shownIn: string;
}

/** A corpus whose documents are the attacks. */
export const FOLDER: Retrieval = {
  search: async () => ({
    corpora: [
      {
        corpus: "letters",
        fresh_days: null,
        citations: "optional",
        refuse_on_empty: false,
        contradictions: "show",
      },
    ],
    passages: TEXTS.map((text, index) => ({
      corpus: "letters",
      document: `${index}.md`,
      title: text.slice(0, 40),
      citation: `${index}.md#1`,
      text,
      as_of: new Date("2026-02-01"),
      topic: null,
      readers: ["app"],
      score: 1,
    })),
  }),
};

/** What one agent hands over to another. */
const PACKAGE = {
  failures: [...TEXTS],
  tools_tried: TEXTS.map((text) => ({ tool: "look", outcome: text.slice(0, 500) })),
};

/** Each operation that takes a text from a chat, a document, a tool or a model, with all attacks at once. */
export const TEXT_DOORS: readonly (readonly [string, Knock])[] = [
  ["append_turns", ({ app }, run) => app().appendTurns(run, { turns: TEXTS.map(said("user")) })],
  [
    "append_turns of an assistant",
    ({ app }, run) => app().appendTurns(run, { turns: TEXTS.map(said("assistant")) }),
  ],
  [
    "append_turns of a system",
    ({ app }, run) => app().appendTurns(run, { turns: TEXTS.map(said("system")) }),
  ],
  [
    "append_turns of a tool",
    async ({ app }, run) => {
      for (const [index, text] of TEXTS.entries()) {
        const call = { tool: "look", call_id: `c${index}` };
        const turns = [
          { role: "tool_call", text: "{}", ...call },
          { role: "tool_result", text, ...call },
        ];
        await app().appendTurns(run, { turns });
      }
    },
  ],
  [
    "complete_stage",
    ({ app }, run) =>
      app().completeStage(run, "facts", { output: { found: TEXTS }, notes: TEXTS.slice(0, 32) }),
  ],
  [
    "write_working",
    ({ app }, run) =>
      app().writeWorking(run, {
        contract: { texts: TEXTS },
        artifact: TEXTS.join(" ").slice(0, 2_000),
        failures: TEXTS,
        questions: TEXTS,
        scratch: TEXTS.map((label, index) => ({ ref: `s3://${index}`, label })),
      }),
  ],
  [
    "write_checkpoint",
    ({ app }, run) => app().writeCheckpoint(run, { step: 1, observations: TEXTS }),
  ],
  [
    "import_turns",
    ({ app }) =>
      app().importTurns("jane", {
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
    async ({ app }) => {
      const goal = { route_id: "loop", goal: "Help" };
      const { run_id: run } = await app().startRun("jane", "tools", goal);
      for (const value of TEXTS) {
        const kinds = [
          await refusalOf(app().upsertPreference(run, { field_id: "tone", value })),
          await refusalOf(app().upsertPreference(run, { field_id: value, value: "calm" })),
        ];
        expect(kinds).toEqual(["invalid_input", "invalid_input"]);
      }
    },
  ],
  [
    "propose_field",
    async ({ app }) => {
      for (const value of TEXTS) {
        const call = app().proposeField("jane", { field_id: "tone", value });
        expect(await refusalOf(call)).toBe("invalid_input");
      }
    },
  ],
  [
    "recall_turns",
    async ({ app }, run) => {
      for (const query of TEXTS) await app().recallTurns(run, { query });
    },
  ],
  [
    "recall_observations",
    async ({ app }, run) => {
      for (const query of TEXTS) await app().recallObservations(run, { query });
    },
  ],
  [
    "start_run",
    async ({ app }, _run, session) => {
      const goal = TEXTS.join("\n").slice(0, LIMITS.turnCharsMax);
      await app().startRun("jane", session, { route_id: "fee_explain", goal });
    },
  ],
  [
    "take_turn",
    ({ app }, _run, session) => app().takeTurn("jane", session, { turns: TEXTS.map(said("user")) }),
  ],
  [
    "fail_run",
    async (bank, _run, session) => {
      const failed = await bank.start("jane", "fee_explain", `${session}-failed`);
      for (const code of TEXTS)
        expect(await refusalOf(bank.app().failRun(failed, { code }))).toBe("invalid_input");
    },
  ],
  [
    "escalate_run and resume_run",
    async (bank, run) => {
      const whole = TEXTS.join("\n").slice(0, LIMITS.escalationCharsMax);
      await bank.app().escalateRun(run, { reason: whole, evidence: TEXTS.slice(0, 8) });
      await bank.operator().resumeRun(run, { answer: whole });
    },
  ],
  [
    "handoff_slots with a package",
    async (bank, run, session) => {
      const earlier = await bank.start("jane", "card_help", session);
      await bank.app().completeStage(earlier, "facts", { output: { found: TEXTS } });
      const asked = { from_run: earlier, slots: ["facts"], handoff: PACKAGE };
      await bank.app().handoffSlots(run, asked);
    },
  ],
  [
    "project_child with a package",
    async ({ app }, run) => {
      const goal = TEXTS.join("\n").slice(0, LIMITS.turnCharsMax);
      const asked = { route_id: "fee_explain", goal, slots: [], handoff: PACKAGE };
      const { run_id: child } = await app().projectChild(run, asked);
      return { shownIn: child } satisfies Elsewhere;
    },
  ],
  [
    "append_episode",
    async (bank, _run, session) => {
      const told = await bank.start("jane", "summing", `${session}-told`);
      const { turn_ids } = await bank.app().appendTurns(told, { turns: TEXTS.map(said("user")) });
      const entries = TEXTS.slice(0, 8).map((text, at) => ({ text, turn_ids: [turn_ids[at]] }));
      // A decision is what a stage decided, not what somebody said.
      const decided = bank.app().appendEpisode(told, { decisions: entries });
      expect(await refusalOf(decided)).toBe("invalid_input");
    },
  ],
  [
    "close_session and its summary",
    async (bank, _run, session) => {
      const asked = "Which of the fees is waived?";
      await bank.say("jane", "fee_explain", `${session}-closed`, ...TEXTS, asked);
      await bank.app().closeSession("jane", `${session}-closed`, {});
      expect(await bank.jobs.run()).toMatchObject({ parked: 0, retry: 0 });
      const asking = await bank.start("jane", "summing", `${session}-asking`);
      const query = "fees waived";
      const { hits } = await bank.app().recallEpisodes(asking, { query, limit: 50 });
      expect(hits).toHaveLength(1);
      for (const { summary } of hits) expect(summary.decisions).toEqual([]);
    },
  ],
  [
    "documents of search_corpus and prefetch_corpus",
    async (bank, _run, session) => {
      const reading = await bank.start("jane", "fee_docs", session);
      const { passages } = await bank.app().searchCorpus(reading, { query: "fees" });
      expect(passages).toHaveLength(TEXTS.length);
      await bank.app().prefetchCorpus(reading, { query: TEXTS[0] ?? "" });
      return { shownIn: reading } satisfies Elsewhere;
    },
  ],
  [
    "set_preference of a field of that name",
    async ({ app }) => {
      for (const id of TEXTS)
        expect(await refusalOf(app().setPreference("jane", id, { value: "calm" }))).toBe(
          "invalid_input",
        );
    },
  ],
];

function said(role: string) {
  return (text: string) => ({ role, text });
}
