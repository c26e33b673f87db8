import { describe, expect, it } from "vitest";
import { tenseOf } from "./tense.js";

const NOW = new Date("2026-03-01T09:00:00Z");

describe("tense", () => {
  it.each([
    ["what does she prefer?", "any"],
    ["what does she prefer now?", "present"],
    ["her current address", "present"],
    ["Wo wohnt er jetzt?", "present"],
    ["他现在住在哪里", "present"],
    ["what did she prefer before?", "past"],
    ["where did he live before the move?", "past"],
    ["what time used to suit her?", "past"],
    ["her previous address", "past"],
    ["Was hat er früher gemacht?", "past"],
    ["他以前住在哪里", "past"],
    ["where did he live in 2023?", "past"],
    ["what did he say today?", "present"],
    ["what was it before, and what is it now?", "any"],
  ])("S4-13 %j asks for %s", (question, tense) => {
    expect(tenseOf(question, NOW)).toBe(tense);
  });
});
