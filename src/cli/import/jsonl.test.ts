import { describe, expect, it } from "vitest";
import { jsonlRows } from "./jsonl.js";
import { asSubject } from "./row.js";

const DEFAULTS = { session: "file", observedAt: null, fileTime: "2026-01-01T00:00:00.000Z" };
const read = (line: string, number = 2) => jsonlRows(line, number, DEFAULTS);

describe("JSON Lines", () => {
  it("a line with all keys is that row, and names its subject", () => {
    const row = {
      session: "s1",
      source_id: "m-1",
      speaker: "Ana",
      role: "user",
      text: "Hello",
      observed_at: "2026-03-01T09:30:00Z",
    };
    expect(read(JSON.stringify({ subject: "ana", ...row }))).toEqual([
      { place: "line 2", subject: "ana", row },
    ]);
  });

  it("without a source id, session and line are the source, so a repeated import adds nothing", () => {
    const line = JSON.stringify({ session: "s1", text: "Hello" });
    expect(read(line, 7)).toEqual([
      { place: "line 7", subject: null, row: { session: "s1", text: "Hello", source_id: "s1:7" } },
    ]);
    expect(read(line, 7)).toEqual(read(line, 7));
  });

  it("a time that is given stands in for a missing one alone", () => {
    const observedAt = "2026-05-05T00:00:00Z";
    const rows = (line: object) => jsonlRows(JSON.stringify(line), 1, { ...DEFAULTS, observedAt });
    expect(rows({ text: "a" })).toMatchObject([{ row: { observed_at: observedAt } }]);
    expect(rows({ text: "a", observed_at: "x" })).toMatchObject([{ row: { observed_at: "x" } }]);
  });

  it("keys that it doesn't know go to the service, which refuses them", () => {
    expect(read('{"text":"a","userId":"tom"}')).toMatchObject([{ row: { userId: "tom" } }]);
  });

  it.each([
    ["an empty line", "  ", []],
    ["no JSON", "{secret", [{ place: "line 2", field: "line", message: "isn't JSON" }]],
    ["no object", "[1]", [{ place: "line 2", field: "line", message: "isn't a JSON object" }]],
    [
      "a subject that is a number",
      '{"subject":5}',
      [{ place: "line 2", field: "subject", message: "must be a string" }],
    ],
  ])("%s is said without its text", (_, line, expected) => {
    expect(read(line)).toEqual(expected);
  });

  it("a line with messages is a chat of its own", () => {
    const line = '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}';
    expect(read(line)).toMatchObject([
      { place: "line 2, message 1", row: { session: "file:2", source_id: "file:2:1", text: "a" } },
      { place: "line 2, message 2", row: { session: "file:2", source_id: "file:2:2", text: "b" } },
    ]);
  });
});

describe("a name of the subject's own", () => {
  it.each([
    [{ speaker: "Jane Doe" }, true],
    [{ speaker: "Jane Doe", role: "user" }, true],
    [{ speaker: "Jane Doe", role: "assistant" }, false],
    [{ speaker: "Olga" }, false],
    [{}, false],
  ])(
    "S4-02 makes the subject of a person's turns under it, and of no others: %j",
    (row, isSubject) => {
      expect(asSubject(row, "Jane Doe")).toEqual(
        isSubject ? { ...row, speaker_is_subject: true } : row,
      );
      expect(asSubject(row, undefined)).toEqual(row);
    },
  );
});
