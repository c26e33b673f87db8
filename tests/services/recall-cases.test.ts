import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { LANGUAGE_SETS, shareInThree } from "../support/language-sets.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

interface Said {
  readonly text: string;
  readonly observed_at?: string;
  readonly session?: string;
  readonly role?: string;
  readonly source_id?: string;
}

const NOTES: readonly string[] = [
  ...Array.from({ length: 20 }, (_, n) => `Release notes for v1.${n} are out`),
  ...Array.from({ length: 5 }, (_, n) => `Order 4471-009${n} left the warehouse`),
  ...Array.from(
    { length: 28 },
    (_, n) => `Physiotherapy on 2026-03-${String(n + 1).padStart(2, "0")}`,
  ),
  ...Array.from({ length: 5 }, (_, n) => `Ring +351 912 000 00${n} back`),
  "My account is DE89 3704 0044 0532 0130 00",
  "Her account is DE89 3704 0044 0532 0130 01",
  "The import stopped with error E1042",
  "The export stopped with error E1043",
  "Take 12.5 mg in the morning",
  "Take 125 mg in the evening",
];

const SCRIPTS: readonly string[] = [
  "今日は成語しりとりをした",
  "오늘 끝말잇기 게임을 했다",
  "今天玩成语接龙游戏",
  "ฉันแพ้ถั่วลิสง",
  "لدي حساسية من الفول السوداني",
  "Пароль от почты изменился",
  "새 버전을 배포했습니다",
  "We met at the caf\u00e9 in the old town",
  "Ünïcode is hard to type",
  "That was a naïve question",
  "Die Straße ist gesperrt",
  "We fly to İstanbul on Monday",
  "The code is ＡＢＣ１２３",
];

const OPERATORS: readonly string[] = [
  'say "hi',
  "memory:safe",
  "foo AND bar",
  "(python",
  "don't",
  "C++",
  "-x",
  "!x",
  "a & b",
  "<->",
  ":*",
  "*",
  "|",
  "' OR 1=1--",
  "a ".repeat(2_000),
];

describeEachDatabase("recall of hard cases", (database) => {
  let m: TestMuniment;
  const runs = new Map<string, string>();

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
    await keep(
      "notes",
      NOTES.map((text) => ({ text })),
    );
    await keep(
      "scripts",
      SCRIPTS.map((text) => ({ text })),
    );
    await keep("office", [
      { text: "My office is on floor 3", observed_at: "2025-08-13T08:00:00Z", session: "s1" },
      { text: "My office is now on floor 9", observed_at: "2026-03-01T08:00:00Z", session: "s2" },
    ]);
  });

  /** Imports what somebody said, each in a session of its own where none is named, and starts a run for questions. */
  async function keep(subject: string, said: readonly Said[]): Promise<void> {
    const rows = said.map((one, at) => ({
      session: `s${at}`,
      source_id: `m${at}`,
      observed_at: "2026-03-01T08:00:00Z",
      ...one,
    }));
    await m.app().importTurns(subject, { route_id: "chat", rows });
    const { run_id } = await m
      .app()
      .startRun(subject, "questions", { route_id: "chat", goal: "Ask" });
    runs.set(subject, run_id);
  }

  async function recall(subject: string, query: string, more: object = {}) {
    return await m.app().recallTurns(runs.get(subject) ?? "", { query, ...more });
  }

  async function find(subject: string, query: string, more: object = {}) {
    return (await recall(subject, query, more)).hits.map(({ text }) => text);
  }

  it.each([
    ["v1.7", "Release notes for v1.7 are out"],
    ["release notes v1.1", "Release notes for v1.1 are out"],
    ["v1.12", "Release notes for v1.12 are out"],
    ["4471-0093", "Order 4471-0093 left the warehouse"],
    ["4471 0093", "Order 4471-0093 left the warehouse"],
    ["2026-03-01", "Physiotherapy on 2026-03-01"],
    ["1 March 2026", "Physiotherapy on 2026-03-01"],
    ["28 March 2026", "Physiotherapy on 2026-03-28"],
    ["+351 912 000 003", "Ring +351 912 000 003 back"],
    ["DE89370400440532013001", "Her account is DE89 3704 0044 0532 0130 01"],
    ["E1042", "The import stopped with error E1042"],
    ["12.5 mg", "Take 12.5 mg in the morning"],
    ["12,5 mg", "Take 12.5 mg in the morning"],
    ["125 mg", "Take 125 mg in the evening"],
  ])("S4-11 the exact identifier comes first: %s", async (query, text) => {
    expect((await find("notes", query))[0]).toBe(text);
  });

  it.each([
    ["しりとり", 0],
    ["끝말잇기", 1],
    ["成语接龙", 2],
    ["接龙", 2],
    ["ถั่ว", 3],
    ["الفول", 4],
    ["Пароль", 5],
    ["배포", 6],
    ["café", 7],
    ["cafe\u0301", 7],
    ["CAFE", 7],
    ["Ünïcode", 8],
    ["unicode", 8],
    ["naïve", 9],
    ["STRASSE", 10],
    ["istanbul", 11],
    ["İstanbul", 11],
    ["abc123", 12],
  ])("S4-11 words of any script and spelling are among the first three: %s", async (query, at) => {
    expect((await find("scripts", query)).slice(0, 3)).toContain(SCRIPTS[at]);
  });

  it.each(OPERATORS)("S4-10 an operator of another search is text: %j", async (query) => {
    expect(["matches", "no_matches"]).toContain((await recall("notes", query)).outcome);
  });

  it.each([
    "do you remember what we talked about?",
    "who am I?",
    "what do you know about me?",
    "¿de qué hablamos?",
    "was weißt du über mich?",
  ])("S4-12 a question of stop words alone shows what is newest: %s", async (query) => {
    const { hits, fallback } = await recall("office", query);
    expect(fallback).toBe("recent");
    expect(hits[0]?.text).toBe("My office is now on floor 9");
  });

  it("S4-11 what is current comes first, and what was before is still found", async () => {
    expect((await find("office", "which floor is my office?"))[0]).toContain("floor 9");
    expect(await find("office", "where was my office before?")).toContain(
      "My office is on floor 3",
    );
  });

  it("S4-11 a long text is found by what stands at its end, and shown by that part", async () => {
    const text = `${"It rained and we stayed inside. ".repeat(600)}The walrus had twins.🔥`;
    await keep("long", [{ text }, { text: "It rained" }]);
    const { hits } = await recall("long", "walrus");
    expect(hits[0]?.snippet.text).toContain("The walrus had twins.");
    expect(hits[0]?.snippet.text.isWellFormed()).toBe(true);
  });

  it("S5-07 the same said again in the same voice is one hit that counts it, no surer than before", async () => {
    const again = Array.from({ length: 4 }, () => ({ text: "I really like coffee" }));
    await keep("coffee", [
      ...again,
      { text: "You really like coffee", role: "assistant" },
      { text: "Coffee beans are sold out" },
    ]);
    const { hits } = await recall("coffee", "who likes coffee");
    expect(hits.map(({ text, repeats }) => [text, repeats])).toEqual([
      ["I really like coffee", 3],
      ["You really like coffee", 0],
      ["Coffee beans are sold out", 0],
    ]);
    expect((await recall("coffee", "who likes coffee", { limit: 2 })).hits).toHaveLength(2);
  });

  it("S4-12 each hit says why it is there and why above the next", async () => {
    const [first, ...others] = (await recall("office", "office floor")).hits;
    expect(first?.why).toMatchObject({ words: expect.any(Number), recency: 1 });
    expect(first?.above_next_by).toBe("newer");
    expect(first?.snippet).toEqual({
      text: "My office is now on floor 9",
      matches: [
        [3, 9],
        [20, 25],
      ],
      cut: { before: false, after: false },
    });
    expect(others.at(-1)?.above_next_by).toBeNull();
  });

  it("S4-10 a recall is narrowed to sessions and to a time, and by nothing beyond the subject", async () => {
    const [newest] = (await recall("office", "office floor")).hits;
    const of = (session_id: string | undefined) => ({ source_sessions: [session_id] });
    expect(await find("office", "office floor", of(newest?.source.session_id))).toEqual([
      "My office is now on floor 9",
    ]);
    const before = { observed_until: "2026-01-01T00:00:00Z" };
    expect(await find("office", "office floor", before)).toEqual(["My office is on floor 3"]);
    const after = { observed_from: "2026-01-01T00:00:00+02:00" };
    expect(await find("office", "office floor", after)).toEqual(["My office is now on floor 9"]);
    expect((await recall("office", "office floor", before)).coverage.searched).toBe(1);
    expect(await find("notes", "error", of(newest?.source.session_id))).toEqual([]);
  });

  it("S4-11 by phrase: every word stands there, what is quoted word for word, newest first", async () => {
    await keep("fees", [
      { text: "A late fee in May", observed_at: "2025-05-01T08:00:00Z" },
      { text: "The fee was late and unfair", observed_at: "2025-06-01T08:00:00Z" },
      { text: "late fees once more", observed_at: "2025-07-01T08:00:00Z" },
      { text: "An annual fee", observed_at: "2025-08-01T08:00:00Z" },
    ]);
    const phrase = { mode: "phrase" };
    expect(await find("fees", "late fee", phrase)).toEqual([
      "late fees once more",
      "The fee was late and unfair",
      "A late fee in May",
    ]);
    expect(await find("fees", 'the "late fee"', phrase)).toEqual(["A late fee in May"]);
    expect(await find("fees", "late fee", { ...phrase, limit: 1 })).toEqual([
      "late fees once more",
    ]);
    const { hits, outcome } = await recall("fees", "late walrus", phrase);
    expect([hits, outcome]).toEqual([[], "no_matches"]);
    const [first] = (await recall("fees", "late fee", phrase)).hits;
    expect(first).toMatchObject({ why: { phrase: 1 }, above_next_by: "newer" });
    expect(await find("scripts", "\u6210\u8a9e", phrase)).toEqual(["今日は成語しりとりをした"]);
    expect(await find("notes", "v1.1", phrase)).toEqual(["Release notes for v1.1 are out"]);
  });

  it.each([
    ["mode", "exact"],
    ["mode", null],
    ["source_sessions", "s1"],
    ["source_sessions", ["s1"]],
    ["observed_from", "yesterday"],
    ["observed_until", 5],
    ["speaker_weight", 9],
    ["speaker_weight", "2"],
    ["sessions", []],
    ["session", "s1"],
    ["subject", "notes"],
  ])("S4-10 a filter of another kind or shape is refused: %s", async (name, value) => {
    expect(["invalid_input", "scope_in_input"]).toContain(
      await refusalOf(recall("office", "office", { [name]: value })),
    );
  });

  it.each(LANGUAGE_SETS)(
    "S4-11 finds what was said in $language, asked in other words",
    async (set) => {
      const { language, pairs } = set;
      await keep(
        language,
        pairs.map(([text]) => ({ text })),
      );
      const found: (readonly string[])[] = [];
      for (const [, question] of pairs) found.push(await find(language, question, { limit: 3 }));
      expect(shareInThree(set, found)).toBeGreaterThanOrEqual(0.95);
    },
  );
});
