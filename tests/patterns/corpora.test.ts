import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { openCorpusFolder } from "../../src/adapters/corpus-folder/open-corpus-folder.js";
import { analyse } from "../../src/compose/corpora.js";
import type { Retrieval } from "../../src/services/retrieval.js";
import { describeEachDatabase, temporaryDirectory } from "../setup/databases.js";
import { refusalOf } from "../support/muniment.js";
import { openPatternBank, type PatternBank } from "./bank.js";

const FEES = {
  corpus: "fees",
  tenants: ["bank-au"],
  readers: ["app", "reader"],
  fresh_days: 365,
  citations: "required",
  refuse_on_empty: true,
  contradictions: "newest",
  documents: {
    "atm.md": { title: "ATM fees", as_of: "2026-01-10", topic: "atm" },
    "atm-2024.md": { title: "ATM fees", as_of: "2024-01-10", topic: "atm" },
    "fraud.md": { title: "Fraud desk", as_of: "2024-06-01", readers: ["fraud_desk"] },
    "card.txt": { title: "Card fees", as_of: "2024-06-01" },
  },
};
const DISPUTED = {
  ...FEES,
  corpus: "rates",
  contradictions: "escalate",
  documents: {
    "a.md": { title: "Rate A", as_of: "2026-01-01", topic: "rate" },
    "b.md": { title: "Rate B", as_of: "2026-01-02", topic: "rate" },
  },
};
const TEXTS = {
  "atm.md":
    "# Foreign ATMs\n\nThe fee of a foreign ATM is 5 dollars.\n\n# Own ATMs\n\nOur own are free.",
  "atm-2024.md": "The fee of a foreign ATM is 3 dollars.",
  "fraud.md": "A foreign ATM with a skimmer: block the card, waive the fee.",
  "card.txt": "A new card costs a fee of 10 dollars.",
  "a.md": "The savings rate is 4 percent.",
  "b.md": "The savings rate is 5 percent.",
};

async function folder(...corpora: readonly { corpus: string; documents: object }[]) {
  const dir = await temporaryDirectory();
  for (const corpus of corpora) {
    await mkdir(join(dir, corpus.corpus));
    await writeFile(join(dir, corpus.corpus, "corpus.yaml"), JSON.stringify(corpus));
    for (const [name, text] of Object.entries(TEXTS))
      await writeFile(join(dir, corpus.corpus, name), text);
  }
  return dir;
}

describeEachDatabase("corpora", (database) => {
  let bank: PatternBank;
  let isDown = false;
  let leaks = false;
  const asked: unknown[] = [];

  beforeAll(async () => {
    const real = await openCorpusFolder(await folder(FEES, DISPUTED), analyse);
    const retrieval: Retrieval = {
      search: async (query) => {
        asked.push(query);
        if (isDown) throw new Error("down");
        const found = await real.search(query);
        const foreign = found.passages.map((it) => ({ ...it, readers: ["somebody_else"] }));
        return leaks ? { ...found, passages: [...foreign, ...found.passages] } : found;
      },
    };
    bank = await openPatternBank(database, { retrieval });
    const stages = [{ stage_id: "answer" }];
    const scope = ["fees"];
    await bank.putRoute("fee_docs", { autonomy: 2, stages, retrieval: { scope, prefetch: true } });
    await bank.putRoute("search_only", {
      autonomy: 1,
      tools: ["search_corpus"],
      profile: { long_term: "none" },
      retrieval: { scope, limit: 2 },
    });
    await bank.putRoute("rate_docs", {
      autonomy: 2,
      stages,
      retrieval: { scope: ["rates"], prefetch: true },
    });
    await bank.putRoute("no_docs", { autonomy: 0 });
  });

  const start = async (route_id: string, subject = "ann") =>
    (await bank.m.app().startRun(subject, `s-${crypto.randomUUID()}`, { route_id, goal: "x" }))
      .run_id;
  const query = "fee of a foreign ATM";

  it("S1-39 S2-38 a search finds what the caller may read in the route's corpora, with citation, age and rules", async () => {
    const found = await bank.m.app().searchCorpus(await start("fee_docs"), { query });
    expect(found).toMatchObject({
      outcome: "matches",
      refuse: false,
      corpora: [{ corpus: "fees", citations: "required", refuse_on_empty: true }],
    });
    expect(found.passages[0]).toEqual({
      corpus: "fees",
      document: "atm.md",
      title: "ATM fees",
      citation: "fees/atm.md#1",
      text: "# Foreign ATMs\n\nThe fee of a foreign ATM is 5 dollars.",
      as_of: "2026-01-10",
      stale: false,
      contradicts: [],
    });
    const documents = found.passages.map(({ document }) => document);
    // The newer document on ATMs stands alone; the fraud desk's is for the fraud desk.
    expect(documents).not.toContain("atm-2024.md");
    expect(documents).not.toContain("fraud.md");
    expect(found.passages.find(({ document }) => document === "card.txt")?.stale).toBe(true);
  });

  it("S1-39 a document is found by the groups of the caller's credential, and by nothing that it says", async () => {
    const run = await start("fee_docs");
    const desk = bank.m.as({ id: "desk", kind: "service", roles: ["app", "fraud_desk"] });
    const documents = async (found: Promise<{ passages: readonly { document: string }[] }>) =>
      (await found).passages.map(({ document }) => document);
    expect(await documents(desk.searchCorpus(run, { query: "skimmer" }))).toEqual(["fraud.md"]);
    expect(await documents(bank.m.app().searchCorpus(run, { query: "skimmer" }))).toEqual([]);
    const agent = bank.m.as({ id: "agent", kind: "agent", roles: [], run });
    expect(await documents(agent.searchCorpus(run, { query }))).toEqual([]);
    for (const widened of [{ groups: ["fraud_desk"] }, { tenant: "bank-nz" }])
      expect(["invalid_input", "scope_in_input"]).toContain(
        await refusalOf(bank.m.app().searchCorpus(run, { query, ...widened })),
      );
  });

  it("S1-39 another corpus, another tenant's and one without a scope give nothing; the denial comes before the search", async () => {
    const run = await start("fee_docs");
    const before = asked.length;
    expect(await refusalOf(bank.m.app().searchCorpus(run, { query, corpora: ["rates"] }))).toBe(
      "denied",
    );
    expect(await refusalOf(bank.m.app().searchCorpus(await start("no_docs"), { query }))).toBe(
      "denied",
    );
    expect(
      await refusalOf(bank.m.app().prefetchCorpus(await start("search_only"), { query })),
    ).toBe("denied");
    expect(asked).toHaveLength(before);
    const nz = bank.m.app("bank-nz");
    await bank.m
      .operator("bank-nz")
      .putRoute("fee_docs", { ...FULL, retrieval: { scope: ["fees"] } });
    const { run_id } = await nz.startRun("zoe", "s", { route_id: "fee_docs", goal: "x" });
    expect(await nz.searchCorpus(run_id, { query })).toMatchObject({
      outcome: "no_matches",
      passages: [],
      corpora: [],
    });
  });

  const FULL = { tokens_max: 4_000 };

  it("S1-39 S1-30 a query carries neither person nor memory", () => {
    expect(asked.length).toBeGreaterThan(0);
    for (const it of asked)
      expect(Object.keys(it as object).sort()).toEqual([
        "corpora",
        "groups",
        "limit",
        "tenant",
        "text",
      ]);
    expect(JSON.stringify(asked)).not.toContain("ann");
  });

  it("S1-39 S5-01 a passage that the retrieval shouldn't have given is dropped, with an alarm", async () => {
    leaks = true;
    const before = bank.m.alarms.length;
    const found = await bank.m.app().searchCorpus(await start("fee_docs"), { query, limit: 1 });
    leaks = false;
    expect(found.passages.map(({ document }) => document)).toEqual(["atm.md"]);
    expect(bank.m.alarms.slice(before)).toEqual([
      { what: "recheck", table: "corpus", detail: "a passage out of scope" },
    ]);
  });

  it("S2-38 nothing found asks not to answer where the corpus says so; out of order is another answer", async () => {
    const run = await start("fee_docs");
    expect(await bank.m.app().searchCorpus(run, { query: "zzz" })).toMatchObject({
      outcome: "no_matches",
      refuse: true,
      passages: [],
    });
    isDown = true;
    expect(await bank.m.app().searchCorpus(run, { query })).toMatchObject({
      outcome: "unavailable",
      refuse: false,
    });
    isDown = false;
  });

  it("S3-08 S1-39 a route that prefetches shows the model its passages as a slot, and keeps them as nothing else", async () => {
    bank.scripted.script({ text: "5 dollars [fees/atm.md#1]" });
    const result = await bank.run("bob", "fee_docs", { goal: "What is the fee of a foreign ATM?" });
    expect(result.state).toBe("completed");
    const [request] = bank.scripted.requests;
    expect(JSON.stringify(request)).toContain("The fee of a foreign ATM is 5 dollars.");
    expect(JSON.stringify(request)).toContain("slot:prefetch");
    const view = await bank.m.app().readRun(result.run_id);
    expect(view.slots.prefetch).toMatchObject({ outcome: "matches" });
    expect(await bank.audited(result.run_id)).toContain("prefetch_corpus slot");
    // Neither a turn nor a memory: another run of the person finds nothing of it.
    const recaller = await bank.m
      .app()
      .startRun("bob", "later", { route_id: "no_docs", goal: "x" });
    const recalled = await bank.m.app().recallTurns(recaller.run_id, { query: "foreign ATM" });
    expect(JSON.stringify(recalled)).not.toContain("5 dollars.");
  });

  it("S3-08 a resumed run doesn't prefetch again", async () => {
    bank.scripted.script({ status: 500 });
    await bank.run("cay", "fee_docs", { goal: query });
    const before = asked.length;
    bank.scripted.script({ text: "ok" });
    expect((await bank.resume("cay")).state).toBe("completed");
    expect(asked).toHaveLength(before);
  });

  it("S2-38 S2-36 documents that contradict each other go to a human where their corpus says so", async () => {
    const result = await bank.run("dee", "rate_docs", { goal: "What is the savings rate?" });
    expect(result).toMatchObject({ state: "escalated" });
    expect((await bank.m.app().readRun(result.run_id)).escalation).toMatchObject({
      evidence: expect.arrayContaining(["rates/a.md#1", "rates/b.md#1"]),
    });
  });

  it("S1-39 S1-13 a search tool is open where memory is closed; a model can't widen it", async () => {
    bank.scripted.script(
      {
        calls: [
          { tool: "search_corpus", input: { query } },
          { tool: "search_corpus", input: { query, corpora: ["rates"] } },
          { tool: "search_corpus", input: { query, user_id: "ann" } },
        ],
      },
      { text: "5 dollars" },
    );
    const result = await bank.run("eli", "search_only");
    expect(result.state).toBe("completed");
    expect(bank.scripted.requests[0]?.tools?.map((it) => it.function.name)).toEqual([
      "search_corpus",
    ]);
    const answers = bank.scripted.requests[1]?.messages.flatMap((message) =>
      message.role === "tool" ? [JSON.parse(message.content)] : [],
    );
    expect(answers).toEqual([
      { output: expect.objectContaining({ outcome: "matches" }) },
      { error: "denied", message: expect.any(String) },
      { error: "scope_in_input", message: expect.any(String) },
    ]);
    expect(answers?.[0].output.passages.length).toBeLessThanOrEqual(2);
  });

  it.each([
    ["no freshness", { fresh_days: undefined }],
    ["no citations", { citations: undefined }],
    ["no answer to an empty result", { refuse_on_empty: undefined }],
    ["no handling of contradictions", { contradictions: undefined }],
    ["no readers", { readers: [] }],
    ["no tenants", { tenants: [] }],
    ["an unknown key", { public: true }],
    ["a path out of its folder", { documents: { "../x.md": { title: "x", as_of: "2026-01-01" } } }],
    ["a document that isn't there", { documents: { "x.md": { title: "x", as_of: "2026-01-01" } } }],
  ])("S2-38 a corpus that declares %s isn't opened", async (_name, change) => {
    const dir = await folder({ ...FEES, ...change });
    await expect(openCorpusFolder(dir, analyse)).rejects.toMatchObject({ kind: "unavailable" });
  });
});
