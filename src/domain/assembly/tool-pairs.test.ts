import { describe, expect, it } from "vitest";
import { turn } from "../../../tests/support/pack-samples.js";
import type { TurnCandidate } from "./candidate.js";
import { pairTurns } from "./tool-pairs.js";

/** `u`ser, `a`ssistant, a `c`all or a `r`esult with its id: `u c1 r1 a`. A letter after the id tells two apart. */
function history(script: string): readonly TurnCandidate[] {
  return script.split(" ").map((word, seq) => {
    const callId = word.slice(1, 2);
    if (word.startsWith("c")) return turn(seq, "tool_call", word, callId === "" ? {} : { callId });
    if (word.startsWith("r")) return turn(seq, "tool_result", word, { callId });
    return turn(seq, word.startsWith("u") ? "user" : "assistant", word);
  });
}

describe("tool calls and their results", () => {
  it.each([
    ["u c1 r1 a", "u | c1 r1 | a", ""],
    ["c1 c2 r2 r1", "c1 c2 r1 r2", ""],
    ["c1 c2 r2 c3 r1 r3", "c1 c2 r1 r2 | c3 r3", ""],
    ["c1 u r1", "c1 r1 | u", ""],
    ["u c1", "u", "c1 call_without_result"],
    ["u c1 u", "u | u", "c1 call_without_result"],
    ["r1 u", "u", "r1 result_without_call"],
    ["r1 c1", "", "r1 result_without_call, c1 call_without_result"],
    ["c1 c2 r1", "c1 r1", "c2 call_without_result"],
    ["c1 r1 r1b", "c1 r1", "r1b result_without_call"],
    ["c1a c1b r1", "c1b r1", "c1a call_without_result"],
    ["c1 r1 c1 r1", "c1 r1 | c1 r1", ""],
    ["c", "", "c call_without_result"],
  ])("S2-05 BR-112 BR-114 %s becomes [%s], orphans [%s]", (script, units, orphans) => {
    const paired = pairTurns(history(script));
    expect(paired.units.map((unit) => unit.map((one) => one.text).join(" ")).join(" | ")).toBe(
      units,
    );
    expect(paired.orphans.map(({ turn: one, why }) => `${one.text} ${why}`).join(", ")).toBe(
      orphans,
    );
  });

  it("S2-05 takes turns in any order and goes by their sequence", () => {
    const newestFirst = [...history("u c1 r1 a")].reverse();
    expect(pairTurns(newestFirst).units.map((unit) => unit.map((one) => one.text))).toEqual([
      ["u"],
      ["c1", "r1"],
      ["a"],
    ]);
  });
});
