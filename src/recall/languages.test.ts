import { describe, expect, it } from "vitest";
import { LANGUAGE_SETS, shareInThree } from "../../tests/support/language-sets.js";
import { trustedId } from "../domain/ids.js";
import { analyseTurn } from "./analyse.js";
import { KNOWN_LANGUAGES, languageOf, stem } from "./languages.js";
import { SubjectIndex } from "./subject-index.js";

const DAY = new Date("2026-03-01T09:00:00Z");
const ROUTE = trustedId<"RouteId">("r");
const WORKSPACE = trustedId<"WorkspaceId">("w");

function indexOf(texts: readonly string[]): SubjectIndex {
  const index = new SubjectIndex();
  for (const [at, text] of texts.entries()) {
    index.add({
      id: trustedId<"TurnId">(String(at)),
      sessionId: trustedId<"SessionId">(String(at)),
      seq: 1,
      workspaceId: WORKSPACE,
      routeId: ROUTE,
      speakerId: null,
      observedAt: DAY,
      evidenceUntil: new Date("2027-01-01T00:00:00Z"),
      terms: analyseTurn({ text, speaker: null, observedAt: DAY }),
    });
  }
  return index;
}

function find(index: SubjectIndex, question: string): readonly string[] {
  const filter = { workspace: WORKSPACE, routes: new Set([ROUTE]), now: DAY, limit: 3 };
  return index.search({ question, speakerWeight: 1 }, filter).hits.map(({ id }) => id);
}

describe("languages", () => {
  it("S4-11 no stemmer changes how a long word begins, but for its y: what marks words in a text goes by that", () => {
    const words = new Set(
      LANGUAGE_SETS.flatMap(
        ({ pairs }) =>
          pairs
            .flat()
            .join(" ")
            .toLowerCase()
            .match(/[a-z]{6,}/g) ?? [],
      ),
    );
    expect(words.size).toBeGreaterThan(100);
    const beginning = (word: string) => word.slice(0, 2).replace("y", "i");
    for (const language of KNOWN_LANGUAGES)
      for (const word of words) expect(beginning(stem(word, language))).toBe(beginning(word));
  });

  it("S4-11 there are thirty questions in each of ten languages", () => {
    expect(LANGUAGE_SETS.map(({ language }) => language).sort()).toEqual(
      ["ar", "de", "en", "es", "hi", "ja", "ko", "ru", "th", "zh"].sort(),
    );
    for (const { pairs } of LANGUAGE_SETS) expect(pairs).toHaveLength(30);
  });

  it.each(LANGUAGE_SETS)(
    "S4-11 finds what was said in other words among the first three: $language",
    (set) => {
      const said = set.pairs.map(([item]) => item);
      const index = indexOf(said);
      const found = set.pairs.map(([, question]) =>
        find(index, question).map((id) => said[Number(id)] ?? ""),
      );
      expect(shareInThree(set, found)).toBeGreaterThanOrEqual(0.95);
    },
  );

  it("S4-11 finds it as well where all ten languages are one person's", () => {
    const said = LANGUAGE_SETS.flatMap(({ pairs }) => pairs.map(([item]) => item));
    const index = indexOf(said);
    for (const set of LANGUAGE_SETS) {
      const found = set.pairs.map(([, question]) =>
        find(index, question).map((id) => said[Number(id)] ?? ""),
      );
      expect(shareInThree(set, found), set.language).toBeGreaterThanOrEqual(0.9);
    }
  });

  const wordsOf = (text: string) => text.split(" ");
  it.each([
    ["i lost the card on my way to the bank", "en"],
    ["ich habe die karte auf dem weg verloren", "de"],
    ["mi hermana no quiere que la llamen por la noche", "es"],
    ["я потерял её в трамвае и не могу найти", "ru"],
    // One stop word, or words that languages share, tell nothing.
    ["take care", null],
    ["war", null],
    ["no", null],
    ["walrus", null],
    ["", null],
  ])(
    "S4-11 tells a language by its stop words, and none where they don't: %s",
    (text, language) => {
      expect(languageOf(wordsOf(text))).toBe(language);
    },
  );
});
