import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

/** Recalls of a person who stands still: more than an index needs to be taken for settled, and then some that rely on it. */
const LOOKS = 6;

interface Look {
  readonly outcome: string;
  readonly shown: readonly string[];
  /** What the audit row names that the reply does. */
  readonly audited: readonly string[];
  readonly trips: number;
}

describeEachDatabase("recall of a person who stands still", (database) => {
  let m: TestMuniment;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  async function say(subject: string, texts: readonly string[]) {
    const app = m.app();
    const { run_id: run } = await app.startRun(subject, "s", { route_id: "chat", goal: "Talk" });
    const turns = texts.map((text) => ({ role: "user", text }));
    const { turn_ids } = await app.appendTurns(run, { turns });
    return { run, turnIds: turn_ids };
  }

  async function lookAt(
    recall: () => Promise<{
      readonly outcome: string;
      readonly hits: readonly { readonly turn_id?: string; readonly episode_id?: string }[];
      readonly decision: { readonly audit_id: string };
    }>,
  ): Promise<Look> {
    const before = m.db.flushes();
    const { outcome, hits, decision } = await recall();
    const trips = m.db.flushes() - before;
    const [row] = await m.db.query<{ reads: readonly { readonly ids: readonly string[] }[] }>(
      "select memory_reads as reads from muniment.audit where audit_id = $1",
      [decision.audit_id],
    );
    const shown = hits.map((hit) => hit.turn_id ?? hit.episode_id ?? "");
    return { outcome, shown, audited: row?.reads.flatMap(({ ids }) => ids) ?? [], trips };
  }

  const best = (run: string) => () => m.app().recallTurns(run, { query: "walrus", limit: 1 });

  it.each([
    [
      "doesn't open any more",
      "update muniment.turn set content_sealed = decode('0011', 'hex') || content_sealed where turn_id = $1",
    ],
    ["is gone", "delete from muniment.turn where turn_id = $1"],
    [
      "is no evidence any more",
      "update muniment.turn set evidence_until = recorded_at where turn_id = $1",
    ],
  ])(
    "S1-31 S4-21 a turn that %s leaves its place to the next best at once, for good, and no reply's audit row names it",
    async (what, harm) => {
      const { run, turnIds } = await say(`person whose turn ${what}`, ["old walrus", "new walrus"]);
      const [older, newer] = turnIds;
      for (let look = 0; look < LOOKS; look += 1) await best(run)();
      expect(await lookAt(best(run))).toMatchObject({ shown: [newer], trips: 1 });
      await m.db.query(harm, [newer]);
      for (let look = 0; look < LOOKS; look += 1) {
        const { outcome, shown, audited } = await lookAt(best(run));
        expect({ outcome, shown, audited }).toEqual({
          outcome: "matches",
          shown: [older],
          audited: [older],
        });
      }
      expect((await lookAt(best(run))).trips).toBe(1);
    },
  );

  it("S1-31 S4-21 an episode that doesn't open is in no reply's audit row", async () => {
    const { run } = await say("person of an episode", ["Which walrus fee is it?"]);
    const { episode_id } = await m.app().appendEpisode(run, {
      open_questions: [
        { text: "Which walrus fee is it?", turn_ids: (await turnsOf(run)).slice(0, 1) },
      ],
    });
    const recall = () => m.app().recallEpisodes(run, { query: "walrus" });
    for (let look = 0; look < LOOKS; look += 1) await recall();
    expect(await lookAt(recall)).toMatchObject({ shown: [episode_id], trips: 1 });
    await m.db.query(
      "update muniment.episode set summary_sealed = decode('0011', 'hex') || summary_sealed where episode_id = $1",
      [episode_id],
    );
    for (let look = 0; look < LOOKS; look += 1)
      expect(await lookAt(recall)).toMatchObject({ shown: [], audited: [] });
  });

  async function turnsOf(run: string): Promise<readonly string[]> {
    return (await m.app().listTurns(run, {})).turns.map(({ turn_id }) => turn_id);
  }

  it("S4-11 what is spelled as another number isn't the same said again", async () => {
    const texts = ["the plot has 10² acres", "the plot has 102 acres", "The plot  has 102\nacres"];
    const { run } = await say("nick", texts);
    for (let look = 0; look < LOOKS; look += 1) {
      const { hits } = await m.app().recallTurns(run, { query: "plot acres" });
      expect(hits.map(({ text, repeats }) => [text, repeats])).toEqual([
        [texts[1], 1],
        [texts[0], 0],
      ]);
    }
  });
});
