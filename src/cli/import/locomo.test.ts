import { describe, expect, it } from "vitest";
import { isLocomo, locomoRows, sessionTime } from "./locomo.js";

const SAMPLE = {
  sample_id: "conv-1",
  conversation: {
    speaker_a: "Ana",
    speaker_b: "Ben",
    session_2: [{ dia_id: "D2:1", speaker: "Ben", text: "Bye" }],
    session_2_date_time: "12:05 am on 1 January, 2024",
    session_1: [
      { dia_id: "D1:1", speaker: "Ana", text: "Hi" },
      { dia_id: "D1:2", speaker: "Ben", text: "Look", blip_caption: "a red boat" },
    ],
    session_1_date_time: "1:56 pm on 8 May, 2023",
  },
  qa: [],
};

describe("LoCoMo files", () => {
  it("each sample is a subject; its sessions come in their order, with their times as UTC", () => {
    const first = { session: "session_1", role: "user", observed_at: "2023-05-08T13:56:00.000Z" };
    expect(locomoRows([SAMPLE], null)).toEqual([
      {
        place: "conv-1 session_1 turn 1",
        subject: "conv-1",
        row: { ...first, source_id: "D1:1", speaker: "Ana", text: "Hi" },
      },
      {
        place: "conv-1 session_1 turn 2",
        subject: "conv-1",
        row: {
          ...first,
          source_id: "D1:2",
          speaker: "Ben",
          text: "Look [shared image: a red boat]",
        },
      },
      {
        place: "conv-1 session_2 turn 1",
        subject: "conv-1",
        row: {
          session: "session_2",
          role: "user",
          observed_at: "2024-01-01T00:05:00.000Z",
          source_id: "D2:1",
          speaker: "Ben",
          text: "Bye",
        },
      },
    ]);
  });

  it("samples of one given subject don't share source ids", () => {
    const rows = locomoRows([SAMPLE, { ...SAMPLE, sample_id: "conv-2" }], "ana");
    const sources = rows.map((parsed) => ("row" in parsed ? parsed.row.source_id : null));
    expect(new Set(sources).size).toBe(rows.length);
    expect(rows).toMatchObject([
      { subject: "ana", row: { session: "conv-1/session_1" } },
      {},
      {},
      {},
      {},
      {},
    ]);
  });

  it("what a turn lacks is left to the service to refuse", () => {
    const conversation = { session_1: [{ speaker: "Ana", text: "Hi" }] };
    expect(locomoRows({ sample_id: "c", conversation }, null)).toEqual([
      {
        place: "c session_1 turn 1",
        subject: "c",
        row: { session: "session_1", role: "user", speaker: "Ana", text: "Hi" },
      },
    ]);
  });

  it("a sample that isn't one doesn't sink the others", () => {
    const rows = locomoRows([5, { sample_id: "x" }, SAMPLE], null);
    expect(rows.slice(0, 2)).toMatchObject([{ field: "sample" }, { field: "conversation" }]);
    expect(rows).toHaveLength(5);
  });

  it.each([
    ["1:56 pm on 8 May, 2023", "2023-05-08T13:56:00.000Z"],
    ["12:00 pm on 29 February, 2024", "2024-02-29T12:00:00.000Z"],
    ["12:30 am on 2 March, 2023", "2023-03-02T00:30:00.000Z"],
    ["9:05 AM on 31 December, 2022", "2022-12-31T09:05:00.000Z"],
    ["1:56 pm on 31 April, 2023", null],
    ["13:56 pm on 8 May, 2023", null],
    ["0:10 am on 8 May, 2023", null],
    ["1:56 pm on 8 Mai, 2023", null],
    ["8 May, 2023", null],
    [undefined, null],
  ])("the session time %j is %j", (text, expected) => {
    expect(sessionTime(text)).toBe(expected);
  });

  it("is recognised by its samples", () => {
    expect(isLocomo([SAMPLE])).toBe(true);
    expect(isLocomo(SAMPLE)).toBe(true);
    expect(isLocomo([{ role: "user", content: "a" }])).toBe(false);
    expect(isLocomo([])).toBe(false);
  });
});
