import type { TestMuniment } from "./muniment.js";

export const DAY = "2020-01-01T00:00:00Z";

export function rowsFrom(session: string, ...texts: readonly string[]) {
  return texts.map((text, index) => ({
    session,
    source_id: `${session}:${index}`,
    speaker: index % 2 === 0 ? "Caroline" : "Melanie",
    text,
    observed_at: DAY,
  }));
}

/** People whose past is imported under the route `chat`, and what a later run recalls of it. */
export function importsIn(muniment: () => TestMuniment) {
  let people = 0;
  async function runOf(who: string, session = "now") {
    const started = await muniment().app().startRun(who, session, { route_id: "chat", goal: "x" });
    return started.run_id;
  }
  return {
    person: () => `person ${people++}`,
    take: (who: string, rows: readonly unknown[]) =>
      muniment().app().importTurns(who, { route_id: "chat", rows }),
    runOf,
    async recalled(who: string, query: string, limit = 50) {
      const run = await runOf(who);
      const { hits } = await muniment().app().recallTurns(run, { query, limit });
      // Without those that stand beside a hit and have none of the words.
      return hits.filter((hit) => (hit.why.words ?? 0) > 0);
    },
  };
}
