import { beforeAll, expect, it } from "vitest";
import { lineKey } from "../../src/services/archive/codec.js";
import { SUBJECT_CODECS } from "../../src/services/archive/subject-codecs.js";
import { describeEachDatabase } from "../setup/databases.js";
import { type Line, linesOf, plantPerson, prepareTenant } from "../support/archived-person.js";
import { openTestMuniment, type TestMuniment } from "../support/muniment.js";

const THOUGHT = "<thinking>She may be lying.</thinking>";
const AHEAD = "2099-01-01T00:00:00.000Z";
const NOTHING = { open_questions: [], decisions: [], artifacts: [], evaluator_failures: [] };
const body = (line: Line) => line.body as object;
const saidSo = (text: string) => ({
  summary: { ...NOTHING, open_questions: [{ text, turn_ids: [], working: [] }] },
});

/** Of each kind, what its own door refuses: the field that the refusal names, and a line that is wrong so. */
const RULES: readonly (readonly [kind: string, field: string, change: (line: Line) => object])[] = [
  ["event", "effective_at", () => ({ effective_at: AHEAD })],
  [
    "event",
    "value",
    (line) => ({ body: { ...body(line), key: "allergy", value: { other: "x" } } }),
  ],
  ["turn", "content.tool", () => ({ role: "tool_result", content: { text: "35" } })],
  ["turn", "content.tool", () => ({ role: "user", content: { text: "Hello", tool: "fees" } })],
  [
    "turn",
    "content.speaker_is_subject",
    () => ({ role: "assistant", content: { text: "Hello", speaker_is_subject: true } }),
  ],
  ["turn", "content.text", () => ({ role: "user", content: { text: " " } })],
  ["turn", "content", () => ({ role: "assistant", content: { text: THOUGHT } })],
  ["run", "goal", () => ({ goal: THOUGHT })],
  ["working", "value", () => ({ value: [THOUGHT] })],
  ["checkpoint", "value", () => ({ value: { result: THOUGHT } })],
  ["escalation", "reason", () => ({ reason: { reason: THOUGHT, evidence: [] } })],
  ["escalation", "answer", () => ({ answer: THOUGHT })],
  ["episode", "summary", () => saidSo("We promise a refund")],
  ["episode", "summary", () => saidSo("The identity check was passed")],
  ["candidate", "state", () => ({ state: "open", origin: "model" })],
  ["candidate", "origin", () => ({ origin: "an oracle" })],
];

describeEachDatabase("lines of an archive and the doors of their kinds", (database) => {
  let m: TestMuniment;
  let jane: readonly Line[];

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await prepareTenant(m, "bank-au");
    await plantPerson(m, "jane");
    jane = await linesOf(m.privacy().exportSubject("jane"));
  });

  const one = (kind: string) => jane.find((line) => line.kind === kind) as Line;
  const take = async (lines: readonly object[]) =>
    (await m.privacy().importSubject("jane", { subject: one("subject"), lines })).lines;
  const refusals = (replies: Awaited<ReturnType<typeof take>>) =>
    replies.map(({ kind, status, reason, refusal }) => [kind, reason ?? refusal?.field ?? status]);

  it("S5-14 what the door of a kind refuses comes in by no archive either", async () => {
    const lines = RULES.map(([kind, , change]) => ({ ...one(kind), ...change(one(kind)) }));
    expect(refusals(await take(lines))).toEqual(RULES.map(([kind, field]) => [kind, field]));
  });

  it("S4-14 S5-14 no line of any kind was written down, closed or decided later than now", async () => {
    const cases = SUBJECT_CODECS.flatMap(({ kind, table }) =>
      table.columns
        .filter(({ isPast }) => isPast)
        .map((column) => [kind, lineKey(column)] as const),
    );
    expect(new Set(cases.map(([kind]) => kind)).size).toBe(SUBJECT_CODECS.length);
    const lines = cases.map(([kind, field]) => ({ ...one(kind), [field]: AHEAD }));
    expect(refusals(await take(lines))).toEqual(cases.map((known) => [...known]));
  });
});
