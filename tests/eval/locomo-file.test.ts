import { describe, expect, it } from "vitest";
import { parseEvidence, parseLocomo, parseSessionTime } from "../../eval/locomo-file.js";

const FILE = JSON.stringify([
  {
    sample_id: "own-1",
    conversation: {
      speaker_a: "Ann",
      speaker_b: "Ben",
      session_2_date_time: "12:05 am on 1 March, 2026",
      session_2: [{ speaker: "Ben", dia_id: "D2:1", text: "Look", blip_caption: "a red kite" }],
      session_1_date_time: "1:56 pm on 28 February, 2026",
      session_1: [{ speaker: "Ann", dia_id: "D1:1", text: "Hello" }],
      session_3_date_time: "1:00 pm on 2 March, 2026",
    },
    qa: [
      { question: "What did Ben show?", answer: 1, evidence: ["D2:1; D1:1"], category: 1 },
      { question: "No evidence", evidence: [], category: 2 },
      { question: "Who flew?", evidence: ["D1:1"], category: 5 },
      { question: "Odd", evidence: ["D1:1"], category: 6 },
    ],
  },
]);

describe("LoCoMo file", () => {
  it("reads turns in the order of sessions, with speaker, date and caption", () => {
    expect(parseLocomo(FILE)[0]?.turns).toEqual([
      {
        diaId: "D1:1",
        speaker: "Ann",
        text: "Hello",
        session: 1,
        observedAt: new Date("2026-02-28T13:56:00Z"),
      },
      {
        diaId: "D2:1",
        speaker: "Ben",
        text: "Look [shared image: a red kite]",
        session: 2,
        observedAt: new Date("2026-03-01T00:05:00Z"),
      },
    ]);
  });

  it("asks the questions that name evidence, of the categories that there are", () => {
    expect(parseLocomo(FILE)[0]?.questions).toEqual([
      { text: "What did Ben show?", category: 1, evidence: ["D2:1", "D1:1"] },
      { text: "Who flew?", category: 5, evidence: ["D1:1"] },
    ]);
  });

  it.each([
    ["D1:1", ["D1:1"]],
    ["D8:6; D9:17", ["D8:6", "D9:17"]],
    ["D9:1 D4:4 D4:6", ["D9:1", "D4:4", "D4:6"]],
    ["D:11:26", ["D11:26"]],
    ["D30:05", ["D30:5"]],
    ["D", []],
  ])("takes the ids of an evidence field apart: %s", (field, ids) => {
    expect(parseEvidence(field)).toEqual(ids);
  });

  it("refuses what isn't such a file by place, without its text", () => {
    expect(() => parseLocomo("{}")).toThrow("file is not a list");
    expect(() => parseLocomo('[{"sample_id":"x"}]')).toThrow(
      "conversation of sample 0 is not an object",
    );
    expect(() => parseSessionTime("soon")).toThrow("not a session time");
  });
});
