import { beforeAll, expect, it } from "vitest";
import { createEndpointEmbedder } from "../../src/models/endpoint-embedder.js";
import { embedTurns } from "../../src/services/embed-turns.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openEmbeddingEndpoint } from "../support/embedding-endpoint.js";
import { fieldBody, routeBody } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

const SECRET = "My kitten is called Quokka-2718. Is the late fee refunded?";

/** Classes of memory, by the tables that hold them. */
const CLASSES = {
  preferences: ["field_value", "candidate"],
  episodes: ["episode"],
  sessions: ["session", "run", "turn", "working", "checkpoint", "pack", "trace"],
  vectors: ["vector"],
  "ids from outside": ["external_id"],
} as const;

describeEachDatabase("failure class: clearing the chat for forgetting", (database) => {
  let bank: Bank;

  beforeAll(async () => {
    bank = await openBank(database);
    await bank.operator().putField("tone", fieldBody());
    await bank.operator().putRoute("loop", routeBody({ store_fields: ["tone"] }));
  });

  /** A person with something in every class of memory. */
  async function remembered(subject: string) {
    const run = await bank.say(subject, "loop", "first", SECRET);
    await bank.app().completeStage(run, "facts", { output: { word: SECRET }, notes: [SECRET] });
    await bank.app().writeCheckpoint(run, { step: 1, result: { word: SECRET } });
    await bank.reviewer().setPreference(subject, "tone", { value: "brisk" });
    const proposed = { field_id: "tone", value: "calm" };
    await bank.service("settings").proposeField(subject, proposed);
    await bank.app().assemble(run, { recall: { query: "kitten" } });
    const { url } = await openEmbeddingEndpoint();
    const embedder = createEndpointEmbedder({ url, model: "small" });
    await embedTurns({ ...bank.services, embedder });
    await bank.app().closeSession(subject, "first", {});
    await bank.jobs.run();
    const [row] = await bank.db.query<{ subject_id: string }>(
      "select subject_id from muniment.run where run_id = $1",
      [run],
    );
    return row?.subject_id ?? "";
  }

  async function countsOf(subjectId: string) {
    const counts: Record<string, number> = {};
    for (const [name, tables] of Object.entries(CLASSES)) {
      let sum = 0;
      for (const table of tables) {
        const [row] = await bank.db.query<{ n: number }>(
          `select count(*)::int as n from muniment.${table} where subject_id = $1`,
          [subjectId],
        );
        sum += row?.n ?? 0;
      }
      counts[name] = sum;
    }
    return counts;
  }

  it("S1-33 S1-26 S2-30 closing a chat leaves what was kept of it, forgetting the person leaves nothing of any class", async () => {
    const id = await remembered("jane");
    const closed = await countsOf(id);
    // A closed chat is no erasure: everything is there to be shown.
    expect(Object.entries(closed).filter(([, count]) => count === 0)).toEqual([]);
    const { stores } = await bank.privacy().eraseSubject("jane", {});
    expect(Object.entries(await countsOf(id)).filter(([, count]) => count > 0)).toEqual([]);
    expect(stores.filter(({ found }) => found > 0)).toEqual([]);
    const removed = stores.filter(({ rows_removed }) => rows_removed > 0).map(({ name }) => name);
    expect(removed).toEqual(expect.arrayContaining(["vector", "episode", "field_value", "turn"]));
  });

  it("S1-32 S1-26 whoever comes back under the same name finds nothing of who was forgotten, on any way", async () => {
    await remembered("ann");
    await bank.privacy().eraseSubject("ann", {});
    const run = await bank.start("ann", "loop", "first");
    const { items } = await bank.app().assemble(run, { recall: { query: "kitten Quokka-2718" } });
    const shown = {
      items,
      turns: (await bank.app().listTurns(run, {})).turns,
      hits: (await bank.app().recallTurns(run, { query: "kitten" })).hits,
      episodes: (await bank.app().recallEpisodes(run, { query: "late fee" })).hits,
      fields: (await bank.app().listFields("ann")).fields,
      promotions: (await bank.operator().listPromotions("ann", {})).promotions,
      last: await bank.app().lastTime(run, {}),
    };
    expect(JSON.stringify(shown)).not.toMatch(/kitten|Quokka-2718|brisk|calm/);
    expect(shown).toMatchObject({ turns: [], hits: [], episodes: [], fields: [], promotions: [] });
  });
});
