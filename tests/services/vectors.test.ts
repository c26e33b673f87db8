import { beforeAll, expect, it } from "vitest";
import { operationsOf } from "../../src/compose/bound-operations.js";
import { createJobs } from "../../src/compose/jobs.js";
import type { Embedder } from "../../src/domain/embedder.js";
import { createEndpointEmbedder } from "../../src/models/endpoint-embedder.js";
import { embedTurns } from "../../src/services/embed-turns.js";
import type { Services } from "../../src/services/services.js";
import { describeEachDatabase } from "../setup/databases.js";
import { type EmbeddingEndpoint, openEmbeddingEndpoint } from "../support/embedding-endpoint.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

const APP = {
  issuer: "test",
  id: "app",
  kind: "service",
  roles: ["app"],
  tenant: "bank-au",
  workspace: "default",
} as const;

describeEachDatabase("vectors", (database) => {
  let m: TestMuniment;
  let endpoint: EmbeddingEndpoint;
  let embedder: Embedder;
  const faults: unknown[] = [];
  let made = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    endpoint = await openEmbeddingEndpoint();
    embedder = createEndpointEmbedder({ url: endpoint.url, model: "small" });
    await m.operator().putRoute("chat", routeBody());
    await m.operator().putRoute("payment", routeBody({ profile: { long_term: "none" } }));
  });

  const withEmbedder = (one: Embedder = embedder): Services => ({
    ...m.services,
    embedder: one,
    onEmbedderFault: (cause) => faults.push(cause),
  });
  const app = (services = withEmbedder()) => operationsOf(services, APP);

  async function say(...texts: string[]) {
    const name = `subject-${made++}`;
    const { run_id } = await m.app().startRun(name, "s", { route_id: "chat", goal: "Talk" });
    await m.app().appendTurns(run_id, { turns: texts.map((text) => ({ role: "user", text })) });
    return run_id;
  }

  /** The best hit: those behind it stand beside it. */
  const best = async (run: string, query: string, services?: Services) =>
    (await app(services).recallTurns(run, { query })).hits.slice(0, 1).map(({ text }) => text);

  it("S4-11 a turn that shares no word with the question is found by what it means, once it was embedded", async () => {
    const run = await say("My kitten sleeps all day", "The physician was late", "Rain again");
    expect(await best(run, "cats? any feline at home?")).toEqual([]);
    expect((await createJobs(withEmbedder()).run()).embedded).toBeGreaterThanOrEqual(3);
    expect(await best(run, "any feline at home?")).toEqual(["My kitten sleeps all day"]);
    const { hits } = await app().recallTurns(run, { query: "the surgery's physician" });
    expect(hits[0]).toMatchObject({ text: "The physician was late" });
    expect(hits[0]?.why.meaning).toBeGreaterThan(0);
    // Without the embedder it goes by words, from the same index.
    expect((await m.app().recallTurns(run, { query: "any feline at home?" })).hits).toEqual([]);
    expect(m.alarms).toEqual([]);
  });

  it("S4-10 what is said later is found by its words at once, by its meaning with the next step, and nothing is embedded twice", async () => {
    const run = await say("My kitten sleeps all day");
    await embedTurns(withEmbedder());
    await best(run, "feline");
    await m.app().appendTurns(run, { turns: [{ role: "user", text: "Our vacation is booked" }] });
    expect(await best(run, "booked")).toEqual(["Our vacation is booked"]);
    expect(await best(run, "a trip")).toEqual([]);
    const before = endpoint.asked.length;
    await embedTurns(withEmbedder());
    expect(endpoint.asked.slice(before)).toEqual([["Our vacation is booked"]]);
    expect(await best(run, "a trip")).toEqual(["Our vacation is booked"]);
    expect((await embedTurns(withEmbedder()))[0]?.turns).toBe(0);
  });

  it("S5-12 what is denied is never embedded", async () => {
    const run = await say("My kitten sleeps all day");
    const { run_id: closed } = await m
      .app()
      .startRun("denied", "s", { route_id: "payment", goal: "Pay" });
    const before = endpoint.asked.length;
    expect(await refusalOf(app().recallTurns(closed, { query: "feline" }))).toBe("mode_none");
    expect(await refusalOf(app().assemble(closed, { recall: { query: "feline" } }))).toBe(
      "mode_none",
    );
    expect(await refusalOf(app().recallTurns(run, { query: "x", all_routes: true }))).toBe(
      "denied",
    );
    const stranger = operationsOf(withEmbedder(), { ...APP, tenant: "bank-nz" });
    expect(await refusalOf(stranger.recallTurns(run, { query: "feline" }))).toBe("not_found");
    const agent = operationsOf(withEmbedder(), { ...APP, id: "eve", kind: "agent", roles: [] });
    expect(await refusalOf(agent.recallTurns(run, { query: "feline" }))).toBe("not_found");
    expect(endpoint.asked.length).toBe(before);
    await best(run, "feline");
    expect(endpoint.asked.length).toBe(before + 1);
  });

  it("S4-12 where the embedder doesn't answer, words decide, and the operator hears of it", async () => {
    const run = await say("My kitten sleeps all day");
    await embedTurns(withEmbedder());
    for (const how of ["refused", "nonsense", "short"] as const) {
      faults.length = 0;
      endpoint.misbehave.push(how);
      expect(await best(run, "kitten"), how).toEqual(["My kitten sleeps all day"]);
      expect(faults, how).toHaveLength(1);
    }
    const away = createEndpointEmbedder({ url: "http://127.0.0.1:9/v1", model: "small" });
    const impatient: Embedder = {
      ...away,
      embed: (texts) => away.embed(texts, AbortSignal.timeout(1)),
    };
    expect(await best(run, "kitten", withEmbedder(impatient))).toHaveLength(1);
  });

  it("S4-12 an endpoint that is busy or broken for a moment is asked again", async () => {
    const run = await say("The price went up");
    endpoint.misbehave.push("busy", "broken");
    await embedTurns(withEmbedder());
    expect(await best(run, "what is the charge")).toEqual(["The price went up"]);
  });

  it("S1-38 vectors of another model are never compared, and are made anew beside them", async () => {
    const run = await say("My kitten sleeps all day");
    await embedTurns(withEmbedder());
    const other = withEmbedder(createEndpointEmbedder({ url: endpoint.url, model: "large" }));
    m.services.indexes.close();
    expect(await best(run, "feline", other)).toEqual([]);
    expect(await best(run, "kitten", other)).toHaveLength(1);
    m.services.indexes.close();
    await embedTurns(other);
    expect(await best(run, "feline", other)).toHaveLength(1);
    m.services.indexes.close();
    expect(await best(run, "feline")).toHaveLength(1);
    m.clock.forward({ hours: 24 * 8 });
    await embedTurns(other);
    const left = await m.db.query("select distinct model from muniment.vector");
    expect(left).toEqual([{ model: "large" }]);
  });

  it("S5-03 a vector that was moved to another turn or given another model shows nothing and raises an alarm", async () => {
    const run = await say("My kitten sleeps all day", "Rain again");
    await embedTurns(withEmbedder());
    const before = m.alarms.length;
    await m.db.query(
      `update muniment.vector v set sealed = (select o.sealed from muniment.vector o
         where o.subject_id = v.subject_id and o.turn_id <> v.turn_id and o.model = v.model)
       where v.model = 'small' and v.subject_id = (select subject_id from muniment.run where run_id = $1)`,
      [run],
    );
    m.services.indexes.close();
    expect(await best(run, "feline")).toEqual([]);
    expect(await best(run, "kitten")).toHaveLength(1);
    expect(new Set(m.alarms.slice(before).map(({ table }) => table))).toEqual(new Set(["vector"]));
  });
});
