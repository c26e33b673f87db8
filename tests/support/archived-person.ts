import { fieldBody, routeBody, type TestMuniment } from "./muniment.js";
import { LANGUAGE, VIP } from "./promotions.js";

/** What every tenant has to have before a person of another one can come to it. */
export async function prepareTenant(m: TestMuniment, tenant: string): Promise<void> {
  const operator = m.operator(tenant);
  await operator.putField("pref_language", fieldBody({ value_schema: LANGUAGE }));
  await operator.putField("vip", fieldBody(VIP));
  await operator.putField("draft", fieldBody({ scope: "session", value_schema: LANGUAGE }));
  await operator.putRoute(
    "chat",
    routeBody({
      autonomy: 1,
      tools: ["recall_turns", "upsert_preference"],
      store_fields: ["pref_language", "vip", "draft"],
    }),
  );
}

export const SAID = "मेरा शुल्क ¿por qué? 手数料は35ドル 🏦 late fee of 35 dollars";

/** A person with something of each kind. */
export async function plantPerson(m: TestMuniment, person: string): Promise<void> {
  const app = m.app();
  const goal = { route_id: "chat", goal: "Explain the fee 手数料" };
  const { run_id: old } = await app.startRun(person, "old", goal);
  await app.appendTurns(old, {
    turns: [
      {
        role: "user",
        text: `${SAID}. Will one be refunded?`,
        speaker: "Jane",
        speaker_is_subject: true,
        source_id: "m-1",
      },
      { role: "user", text: "I prefer letters in large print." },
      { role: "tool_call", text: "{}", tool: "ledger_search", call_id: "c-1" },
      { role: "tool_result", text: "35", tool: "ledger_search", call_id: "c-1" },
    ],
  });
  await app.completeStage(old, "decide", { output: { refund: 35 }, notes: ["asked twice"] });
  await app.failRun(old, {
    code: "evaluator_rejected",
    trace: {
      tools: [{ tool: "core.refund", side_effect: "write", receipt: { id: "rf-77" } }],
      tickets: ["TCK-1"],
      prompts: ["You are a bank's agent"],
    },
  });
  await app.closeSession(person, "old", { data_class: "complaint" });
  await m.jobs.run();

  const { run_id: run } = await app.startRun(person, "main", goal);
  await app.appendTurns(run, { turns: [{ role: "user", text: "and today?", speaker: "Jane" }] });
  await app.writeWorking(run, {
    contract: { answer: "brief" },
    questions: ["which fee?"],
    scratch: [{ ref: "file://a" }],
  });
  await app.writeCheckpoint(run, { step: 3, result: { partial: "ja 手" } });
  await app.escalateRun(run, { reason: "above my limit", evidence: ["case 7"] });
  await m.operator().resumeRun(run, { answer: "refund it" });
  await app.importTurns(person, {
    route_id: "chat",
    rows: [
      {
        session: "years ago",
        source_id: "x-1",
        text: "Guten Tag",
        observed_at: "2020-05-01T08:00:00Z",
      },
    ],
  });

  const scale = {
    source: "scale",
    source_id: "w 1",
    source_revision: 1,
    kind: "measurement" as const,
    key: "weight",
    value: 81.5,
    unit: "kg",
    conditions: { fasting: true },
    effective_at: "2026-02-01T07:00:00Z",
    speaker: "Jane",
    observer: "nurse 手",
  };
  const { value: _value, ...withdrawn } = scale;
  await m.service("connector").recordEvents(person, {
    events: [scale, { ...withdrawn, source_revision: 2, status: "withdrawn" }],
  });

  await m.customer(person).setPreference(person, "pref_language", { value: "es" });
  await m.customer(person).setPreference(person, "pref_language", { value: "fr" });
  await m.customer(person).setSessionField(run, "draft", { value: "en" });
  await m.service("billing").proposeField(person, { field_id: "vip", value: true });

  const officer = m.as({ id: "pia", roles: ["privacy_officer"] });
  await officer.placeHold(person, { covers: "source", target: "x-1", basis: "legal_duty" });

  const ward = m.as({ id: "app", roles: ["app"], workspace: "ward" });
  const { run_id: there } = await ward.startRun(person, "ward talk", goal);
  await ward.appendTurns(there, { turns: [{ role: "user", text: "in the ward" }] });
}

export type Line = Readonly<Record<string, unknown>> & { readonly kind: string };

export async function linesOf(archive: AsyncIterable<string>): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for await (const text of archive) lines.push(JSON.parse(text) as Line);
  return lines;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The lines with every id of ours in them replaced, but for the names of working items. In one order, whatever the ids. */
export function renamed(lines: readonly Line[], idOf: (id: string) => string): readonly Line[] {
  const rename = (key: string, value: unknown) =>
    typeof value === "string" && key !== "item_key" ? value.replace(UUID, idOf) : value;
  return lines
    .map((line) => JSON.parse(JSON.stringify(line), rename) as Line)
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
