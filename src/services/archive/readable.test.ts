import { describe, expect, it } from "vitest";
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, EXCLUDED } from "../../domain/archive.js";
import { readableArchive } from "./readable.js";

const MANIFEST = {
  kind: "manifest",
  format: ARCHIVE_FORMAT,
  version: ARCHIVE_VERSION,
  of: "subject",
  tenant: "bank-au",
  kinds: ["subject", "turn", "hold"],
  exported_at: "2026-03-01T09:30:00.000Z",
  excluded: EXCLUDED,
};
const SUBJECT = { kind: "subject", subject: "jane", created_at: "2026-02-01T09:00:00.000Z" };

async function readable(...lines: readonly object[]): Promise<string> {
  async function* archive() {
    for (const line of [MANIFEST, SUBJECT, ...lines]) yield JSON.stringify(line);
  }
  const parts: string[] = [];
  for await (const part of readableArchive(archive())) parts.push(part);
  return parts.join("\n");
}

const turn = (text: string) => ({
  kind: "turn",
  content: { text },
  speaker: null,
  role: "user",
  observed_at: "2026-02-01T09:00:00.000Z",
  evidence_until: null,
});

describe("readable archive", () => {
  it.each([
    ["a link", "[pay here](https://evil.example)", "> \\[pay here\\](https://evil.example)"],
    ["a picture", "![](https://evil.example/x)", "> !\\[\\](https://evil.example/x)"],
    ["code", "`rm`", "> \\`rm\\`"],
    ["markup", "<script>&", "> &lt;script>&amp;"],
    ["a second line", "one\n# two", "> one\n> # two"],
    ["a backslash before a bracket", "\\[a](b)", "> \\\\\\[a\\](b)"],
  ])("S5-14 keeps %s of a person's text as text", async (_, text, expected) => {
    expect(await readable(turn(text))).toContain(expected);
  });

  it("S5-14 tells events and episodes in lines that a person reads, without what is empty and without ids", async () => {
    const event = {
      kind: "event",
      body: {
        source: "ehr",
        key: "allergy",
        status: "active",
        value: { name: "Latex", reaction: "rash" },
        unit: null,
        conditions: null,
      },
      event_kind: "report",
      source: "ehr/1",
      effective_at: "2026-02-01T09:00:00.000Z",
    };
    const episode = {
      kind: "episode",
      summary: {
        open_questions: [{ text: "Which fee?", turn_ids: ["t1"] }, { text: "When?" }],
        decisions: [],
      },
      observed_at: "2026-02-01T09:00:00.000Z",
      expires_at: null,
    };
    const text = await readable(event, episode);
    expect(text).toContain(
      "> source: ehr\n> key: allergy\n> status: active\n> value: name: Latex, reaction: rash\n",
    );
    expect(text).toContain("> open questions: Which fee?; When?\n");
    const slot = { kind: "working", class: "slot", value: { text: "refund", amount: 35 } };
    expect(await readable(slot)).toContain("> text: refund\n> amount: 35\n");
    for (const noise of ["null", "t1", "{", "unit"]) expect(text).not.toContain(noise);
  });

  it("S5-10 says what is on hold, and what couldn't be read", async () => {
    const hold = { kind: "hold", scope: "turn", placed_at: "2026-02-02T09:00:00.000Z" };
    const trailer = { kind: "trailer", unreadable: { turn: 2 } };
    const text = await readable({ ...hold, released_at: null }, trailer);
    expect(text).toContain("one turn, since 2026-02-02 09:00:00 UTC");
    expect(text).toContain("- 2 of turn");
  });

  it("S5-14 says of each value whether it stands now or another took its place", async () => {
    const value = (
      field_id: string,
      version: number,
      session_key: string,
      said: string | null,
    ) => ({
      kind: "field_value",
      ...{ workspace: "w", field_id, session_key, version, value: said, removed: said === null },
      ...{ source: "user", updated_at: "2026-02-01T09:00:00.000Z", expires_at: null },
    });
    const text = await readable(
      value("delivery", 1, "", "email"),
      value("delivery", 2, "", "paper"),
      value("ticket", 1, "s1", "T-1"),
      value("ticket", 1, "s2", null),
    );
    const said = [...text.matchAll(/^> (.*: .*)\n\n(no longer|stands now)/gm)];
    expect(said.map(([, what, how]) => [what, how])).toEqual([
      ["delivery: email", "no longer"],
      ["delivery: paper", "stands now"],
      ["ticket: T-1", "stands now"],
      ["ticket: removed", "stands now"],
    ]);
  });

  it("S5-14 quotes nothing where a line has no words, and leaves out a checkpoint without any", async () => {
    const at = "2026-02-01T09:00:00.000Z";
    const run = { kind: "run", goal: null, route_id: "chat", state: "closed", created_at: at };
    const trace = { kind: "trace", facts: null, outcome: "completed", terminal_reason: "done" };
    const text = await readable(
      { ...run, expires_at: null },
      { kind: "checkpoint", value: {}, step: 0, recorded_at: at },
      { ...trace, recorded_at: at, expires_at: null },
    );
    expect(text).toContain("2026-02-01 09:00:00 UTC, for chat, closed");
    expect(text).toContain("completed (done), 2026-02-01 09:00:00 UTC");
    expect(text).not.toMatch(/^> *$|nothing|Where work stands/m);
  });

  it("S5-14 names who acted in words, and what it leaves out without the words of our tables", async () => {
    const at = "2026-02-01T09:00:00.000Z";
    const value = { field_id: "delivery", value: "paper", removed: false };
    const text = await readable(
      { kind: "candidate", ...value, proposer: "agent:agent of 01a22eba-0000", created_at: at },
      { kind: "promotion", ...value, actor: "human:rita", rule: "click", recorded_at: at },
    );
    expect(text).toContain("proposed by an agent,");
    expect(text).toContain("decided by rita (a person)");
    const [, leftOut = ""] = text.split("## What this document leaves out");
    expect(leftOut).toContain("- what has expired: nobody can read it any more");
    for (const jargon of ["hash", "vector", "revision", "ledger", "01a22eba"])
      expect(text).not.toContain(jargon);
  });
});
