import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TurnId, trustedId } from "../domain/ids.js";
import { mergeSources } from "./merge-sources.js";

const id = (name: string): TurnId => trustedId<"TurnId">(name);
const at = (day: number) => new Date(Date.UTC(2026, 0, day));

const turn = (name: string, score: number, day = 1) => ({
  hit: { id: id(name), score, parts: { words: score }, repeats: 0, language: null },
  observedAt: at(day),
});
const made = (name: string, score: number, of: readonly string[], day = 1) => ({
  ...turn(name, score, day),
  turnIds: of.map(id),
});
const ranked = { order: "score", limit: 10, fits: [0.5, 0.5] } as const;
const names = (merged: ReturnType<typeof mergeSources>) => merged.map(({ hit }) => String(hit.id));

describe("one hit a source", () => {
  it("S5-07 somebody's own words come before a paraphrase that fits as well", () => {
    expect(names(mergeSources([turn("t", 3)], [made("o", 7, ["x"])], ranked))).toEqual(["t", "o"]);
  });

  it("S5-07 what was made of a found turn stands with it, and gives it at most its own place", () => {
    const merged = mergeSources(
      [turn("best", 4), turn("poor", 1)],
      [made("o", 5, ["poor"]), made("p", 4, ["other"])],
      ranked,
    );
    expect(names(merged)).toEqual(["best", "poor", "p"]);
    expect(merged[1]).toMatchObject({ kind: "turn", derived: [{ hit: { id: "o" } }] });
    expect(merged[1]?.hit.score).toBeCloseTo(0.9);
  });

  it("S5-07 deriving it again and again makes nothing surer", () => {
    const once = mergeSources([turn("a", 4), turn("b", 2)], [made("o", 5, ["b"])], ranked);
    const often = Array.from({ length: 5 }, (_, n) => made(`o${n}`, 5, ["b"]));
    const thrice = mergeSources([turn("a", 4), turn("b", 2)], often, ranked);
    expect(thrice.map(({ hit }) => hit)).toEqual(once.map(({ hit }) => hit));
  });

  it("S5-07 a list whose best has little of what was asked counts little, whatever its own scores", () => {
    const merged = mergeSources([turn("t", 4), turn("u", 3)], [made("o", 9, ["x"])], {
      ...ranked,
      fits: [0.8, 0.4],
    });
    expect(names(merged)).toEqual(["t", "u", "o"]);
    expect(merged[2]?.hit.parts).toEqual({ words: 9, scale: 0.5 / 9, paraphrase: 0.9 });
  });

  it("S4-11 where nothing is weighed the newest comes first", () => {
    const merged = mergeSources([turn("old", 1, 1), turn("new", 1, 5)], [made("o", 1, ["x"], 3)], {
      order: "newest",
      limit: 2,
      fits: [1, 1],
    });
    expect(names(merged)).toEqual(["new", "o"]);
  });

  it("S5-07 no turn is shown twice, each score is the product of its parts, and nothing is lost below the limit", () => {
    const scores = fc.double({ min: 0.01, max: 20, noNaN: true });
    const turnNames = fc.constantFrom("a", "b", "c", "d");
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(turnNames, scores), { selector: ([name]) => name }),
        fc.array(fc.tuple(scores, fc.array(turnNames, { minLength: 1 }))),
        (said, observed) => {
          const merged = mergeSources(
            said.map(([name, score]) => turn(name, score)),
            observed.map(([score, of], n) => made(`o${n}`, score, of)),
            { order: "score", limit: 100, fits: [0.4, 0.9] },
          );
          const shown = names(merged);
          expect(new Set(shown).size).toBe(shown.length);
          const kept = merged.flatMap((one) => (one.kind === "turn" ? one.derived : [one.one]));
          expect(kept).toHaveLength(observed.length);
          for (const { hit } of merged) {
            const product = Object.values(hit.parts).reduce((all, part) => all * part, 1);
            expect(product).toBeCloseTo(hit.score, 6);
          }
        },
      ),
    );
  });
});
