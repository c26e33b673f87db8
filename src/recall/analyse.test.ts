import { describe, expect, it } from "vitest";
import { trustedId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import { analyseQuestion, analyseTurn, namesNothing } from "./analyse.js";
import type { IndexedTurn } from "./indexed-turn.js";
import { SubjectIndex } from "./subject-index.js";
import type { Terms } from "./terms.js";

const DAY = new Date("2024-02-29T23:30:00Z");
const WORKSPACE = trustedId<"WorkspaceId">("w");
const ROUTE = trustedId<"RouteId">("r");
const EVERYTHING = { workspace: WORKSPACE, routes: new Set([ROUTE]), now: DAY, limit: 50 };

function turnOf(id: string, terms: Terms): IndexedTurn {
  return {
    id: trustedId<"TurnId">(id),
    // Each of its own session: no turn is found by what stands beside it.
    sessionId: trustedId<"SessionId">(id),
    seq: 1,
    workspaceId: WORKSPACE,
    routeId: ROUTE,
    speakerId: null,
    observedAt: DAY,
    evidenceUntil: new Date("2025-01-01T00:00:00Z"),
    terms,
  };
}

/** Texts that the question finds, best first. */
function find(texts: readonly string[], question: string): readonly string[] {
  const index = new SubjectIndex();
  for (const [at, text] of texts.entries()) {
    index.add(turnOf(String(at), analyseTurn({ text, speaker: null, observedAt: DAY })));
  }
  const { hits, fallback } = index.search({ question, speakerWeight: 1 }, EVERYTHING);
  expect(fallback).toBeNull();
  return hits.map((hit) => texts[Number(hit.id)] ?? "");
}

const wordsOf = (text: string) => analyseQuestion(text, [null], DAY).words;
const terms = (text: string): readonly string[] => wordsOf(text).flatMap(({ forms }) => forms);

describe("analyser", () => {
  const scripts = [
    "今日は成語しりとりをした",
    "오늘 끝말잇기 게임을 했다",
    "今天玩成语接龙游戏",
    "ฉันแพ้ถั่วลิสง",
    "لدي حساسية من الفول السوداني",
    "Мой пароль от почты изменился",
    "새 버전을 배포했습니다",
  ];
  it.each([
    ["しりとり", 0],
    ["끝말잇기", 1],
    ["成语接龙", 2],
    ["接龙", 2],
    ["龙", 2],
    ["ถั่ว", 3],
    ["الفول", 4],
    ["Пароль", 5],
    ["ПАРОЛИ", 5],
    ["배포", 6],
  ])("S4-11 finds words of any script: %s", (question, at) => {
    expect(find(scripts, question)[0]).toBe(scripts[at]);
  });

  it.each([
    ["caf\u00e9", "cafe\u0301"],
    ["cafe\u0301", "caf\u00e9"],
    ["CAFÉ", "cafe"],
    ["Ünïcode", "unicode"],
    ["naïve", "NAIVE"],
    ["Straße", "STRASSE"],
    ["groß", "GROẞ"],
    ["İstanbul", "istanbul"],
    ["ISTANBUL", "İstanbul"],
    ["ISPARTA", "ısparta"],
    ["ＡＢＣ１２３", "abc123"],
    ["ﾃｽﾄ", "テスト"],
    ["℡", "tel"],
    ["Łódź", "lodz"],
    ["Σίσυφος", "ΣΙΣΥΦΟΣ"],
    ["مُحَمَّد", "محمد"],
    ["soft\u00adware", "software"],
  ])("S4-11 takes one text for another where only its spelling differs: %s = %s", (one, other) => {
    expect(terms(one)).toEqual(terms(other));
    expect(terms(one)).not.toEqual([]);
  });

  it("S4-11 keeps marks that are letters: か isn't が, ผา isn't ผ้า", () => {
    expect(terms("か")).not.toEqual(terms("が"));
    expect(terms("ผา")).not.toEqual(terms("ผ้า"));
  });

  const notes = [
    ...Array.from({ length: 20 }, (_, n) => `Release notes for v1.${n} are out`),
    ...Array.from({ length: 5 }, (_, n) => `Order 4471-009${n} was sent`),
    ...Array.from({ length: 28 }, (_, n) => `Visit on 2026-03-${String(n + 1).padStart(2, "0")}`),
    ...Array.from({ length: 5 }, (_, n) => `Call +351 912 000 00${n} back`),
    "Account DE89 3704 0044 0532 0130 00 is mine",
    "Account DE89 3704 0044 0532 0130 01 is hers",
    "It failed with error E1042",
    "It failed with error E1043",
    "Take 12.5 mg in the morning",
    "Take 125 mg in the morning",
    "Take 12 mg or 5 mg",
    "Invoice A-1009 is open",
    "Invoice A-1010 is open",
    "It cost 1,250 in all",
  ];
  it.each([
    ["v1.7", "Release notes for v1.7 are out"],
    ["release notes v1.1", "Release notes for v1.1 are out"],
    ["v1.10", "Release notes for v1.10 are out"],
    ["4471-0093", "Order 4471-0093 was sent"],
    ["4471 0093", "Order 4471-0093 was sent"],
    ["44710093", "Order 4471-0093 was sent"],
    ["2026-03-01", "Visit on 2026-03-01"],
    ["1 March 2026", "Visit on 2026-03-01"],
    ["March 1st, 2026", "Visit on 2026-03-01"],
    ["the 21st of March", "Visit on 2026-03-21"],
    ["13.3.2026", "Visit on 2026-03-13"],
    ["+351 912 000 001", "Call +351 912 000 001 back"],
    ["351912000001", "Call +351 912 000 001 back"],
    ["DE89370400440532013000", "Account DE89 3704 0044 0532 0130 00 is mine"],
    ["de89 3704 0044 0532 0130 01", "Account DE89 3704 0044 0532 0130 01 is hers"],
    ["E1042", "It failed with error E1042"],
    ["e1043", "It failed with error E1043"],
    ["12.5 mg", "Take 12.5 mg in the morning"],
    ["12,5 mg", "Take 12.5 mg in the morning"],
    ["12.50mg", "Take 12.5 mg in the morning"],
    ["125 mg", "Take 125 mg in the morning"],
    ["A-1009", "Invoice A-1009 is open"],
    ["a1009", "Invoice A-1009 is open"],
    ["1009", "Invoice A-1009 is open"],
    ["1250", "It cost 1,250 in all"],
    ["1.250", "It cost 1,250 in all"],
  ])("S4-11 finds an identifier, number or date whole: %s", (question, text) => {
    expect(find(notes, question)[0]).toBe(text);
  });

  it("S4-11 never takes 12.5 for 125, 12 or 5", () => {
    expect(terms("12.5")).toEqual(["12.5"]);
  });

  it("S4-11 a turn is found by its speaker's name and by its date, as numbers or in words", () => {
    const observedAt = new Date("2023-05-08T13:56:00Z");
    const index = new SubjectIndex();
    index.add(turnOf("her", analyseTurn({ text: "Yes, gladly", speaker: "Zoë", observedAt })));
    index.add(turnOf("him", analyseTurn({ text: "Yes, gladly", speaker: "Tom", observedAt: DAY })));
    for (const question of ["Zoe", "2023-05-08", "8 May 2023", "May 8, 2023", "in May", "2023"]) {
      const { hits } = index.search({ question, speakerWeight: 1 }, EVERYTHING);
      expect(hits.map((hit) => hit.id)).toEqual(["her"]);
    }
  });

  it.each([
    "do you remember what we talked about?",
    "who am I?",
    "What do you know about me?",
    "¿De qué hablamos?",
    "¿Qué sabes de mí?",
    "Worüber haben wir gesprochen?",
    "Was weißt du über mich?",
    "Qu'est-ce que tu sais de moi ?",
    "|",
    "🙂",
    "",
  ])("S4-12 a question that names nothing is known as such: %s", (question) => {
    expect(namesNothing(question)).toBe(true);
  });

  it.each(["die", "war", "the war", "what did she say about May", "march"])(
    "S4-11 other languages' stop words stay searchable: %s",
    (question) => {
      expect(namesNothing(question)).toBe(false);
      expect(terms(question)).not.toEqual([]);
    },
  );

  it.each([
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
    "' OR 1=1--",
    "__proto__ constructor",
  ])("S4-11 takes query operators as text: %s", (question) => {
    const index = new SubjectIndex();
    index.add(turnOf("it", analyseTurn({ text: question, speaker: null, observedAt: DAY })));
    expect(index.search({ question, speakerWeight: 1 }, EVERYTHING).hits).toHaveLength(1);
  });

  it("S4-11 bounds the terms of a text, and its speaker and date survive that", () => {
    const text = Array.from({ length: 9_000 }, (_, n) => `w${n}`).join(" ");
    const { list } = analyseTurn({ text, speaker: "Zoe", observedAt: DAY });
    expect(list).toHaveLength(LIMITS.termsPerTurnMax);
    expect(list).toEqual(expect.arrayContaining(["zoe", "2024-02-29"]));
  });

  it.each([
    "x".repeat(64_000),
    "漢".repeat(64_000),
    "1".repeat(64_000),
    "a1-".repeat(20_000),
    "1,".repeat(32_000),
    "\u{1F600}a".repeat(20_000),
    "١٢".repeat(30_000),
    "de89 ".repeat(12_000),
    `${"1 ".repeat(30_000)}a`,
    `${"1,".repeat(30_000)}:1`,
    "1.".repeat(30_000),
    "x@".repeat(30_000),
    "1 may ".repeat(10_000),
    "\u{10400}".repeat(30_000),
    "\u0301".repeat(60_000),
    "\ufdfa".repeat(60_000),
  ])("S4-11 cuts unbroken runs (%#)", (text) => {
    const { list } = analyseTurn({ text, speaker: null, observedAt: DAY });
    const longest = Math.max(...list.map((term) => term.length));
    expect(longest).toBeLessThanOrEqual(LIMITS.wordCharsMax + 1);
  });

  it("S4-11 no term is empty: a mark that stands alone is none", () => {
    expect(terms("\u0301 \u064b a")).not.toContain("");
  });

  it("S4-11 no term has a space in it", () => {
    const all = [...scripts, ...notes, "8 May, 2023 at 1:56 pm", "a\u00a0b 4471\u00a00093"].flatMap(
      terms,
    );
    expect(all.filter((term) => /\s/.test(term))).toEqual([]);
  });
});
