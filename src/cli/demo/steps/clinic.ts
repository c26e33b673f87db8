import { setTimeout as wait } from "node:timers/promises";
import type { AssembleReply } from "../../../services/assemble.js";
import type { ReadFreshnessReply } from "../../../services/read-freshness.js";
import { path } from "../../client.js";
import type { StartedRun } from "../../started-run.js";
import { plainLines } from "../../table.js";
import type { Actor } from "../cast.js";
import { claim } from "../claim.js";
import { ALLERGY, CLINIC_ROUTE, COACH, DRUG_REACTION } from "../clinic.js";
import type { Scene, Step, Told } from "../story.js";

export const CLINIC_STEPS: readonly Step[] = [
  { name: "clinic_morning", tell: saysMorning },
  { name: "clinic_night_shifts", tell: changesShifts },
  { name: "clinic_operator", tell: operatorTalks },
  { name: "clinic_allergy", tell: contradictsAllergy },
];

const LOOKS_MAX = 100;
const LOOK_MS = 200;
const OPERATOR = "nurse-kim";

/** A patient of this telling alone. */
const patientOf = ({ sessionA }: Scene): string => `mia-${sessionA}`;
const at = (patient: string, rest: string): string => `${path`/v1/subjects/${patient}`}/${rest}`;

/** Waits for the service's own worker to observe what was said, and to make a model of it. */
async function learnt(app: Actor, patient: string, session: string): Promise<void> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const known = await app.ask<ReadFreshnessReply>("GET", at(patient, "freshness"));
    const own = known.sessions.find((one) => one.session === session);
    const { sessions, observations } = known.pending;
    const isMade = known.state === null && known.consolidated_at !== null;
    if (own?.processed_at != null && isMade && sessions + observations === 0) return;
    await wait(LOOK_MS);
  }
  claim(false, "what was said is in the model in twenty seconds");
}

async function talk(actor: Actor, patient: string, session: string, turn: object): Promise<void> {
  const chat = at(patient, path`sessions/${session}`);
  const goal = { route_id: CLINIC_ROUTE, goal: "Talk about how it goes" };
  const run = await actor.ask<StartedRun>("POST", `${chat}/runs`, goal);
  await actor.ask("POST", path`/v1/runs/${run.run_id}/turns`, { turns: [turn] });
  await actor.ask("POST", `${chat}/close`, { compress: false });
}

async function packOf(app: Actor, patient: string, session: string): Promise<AssembleReply> {
  const goal = { route_id: CLINIC_ROUTE, goal: "Plan the next call" };
  const runs = at(patient, path`sessions/${session}/runs`);
  const run = await app.ask<StartedRun>("POST", runs, goal);
  return await app.ask<AssembleReply>("POST", path`/v1/runs/${run.run_id}/pack`, {});
}

async function saysMorning(scene: Scene): Promise<Told> {
  const { app, operator } = scene.cast.clinic;
  await operator.ask("PUT", path`/v1/routes/${CLINIC_ROUTE}`, COACH);
  await operator.ask("PUT", path`/v1/dimensions/${"drug_reaction"}`, DRUG_REACTION);
  const patient = patientOf(scene);
  const text = "I prefer a call in the morning.";
  await talk(app, patient, "one", { role: "user", text });
  await learnt(app, patient, "one");
  return { detail: "what Mia says in a chat is observed once that is closed, in her own words" };
}

async function changesShifts(scene: Scene): Promise<Told> {
  const { app } = scene.cast.clinic;
  const patient = patientOf(scene);
  const text = "I started night shifts. From now on please call me in the evening instead.";
  await talk(app, patient, "two", { role: "user", text });
  await learnt(app, patient, "two");
  const { items } = await packOf(app, patient, "three");
  const model = items.filter(({ kind }) => kind === "user_model");
  const wish = model.find(({ text: it }) => it.includes("evening"));
  claim(wish !== undefined, "the next chat knows of the evening");
  claim(
    wish.text.indexOf("evening") < wish.text.indexOf("morning"),
    "the morning stands behind it, as what was before",
  );
  claim(
    model.every(({ source }) => source.length > 0),
    "each part of the model names what it rests on",
  );
  return {
    detail: "night shifts change her wish: the next chat knows the evening, and what was before",
    show: [plainLines(wish.text)],
  };
}

async function operatorTalks(scene: Scene): Promise<Told> {
  const { app, nurse } = scene.cast.clinic;
  const patient = patientOf(scene);
  const text = "I work nights too, and Mia told me that the stairs are hard.";
  await talk(nurse, patient, "ward", { role: "user", speaker: OPERATOR, text });
  await app.isRefused("not_found", "GET", at(OPERATOR, "freshness"));
  return { detail: "an operator talks about Mia: nothing is kept about the operator" };
}

async function contradictsAllergy(scene: Scene): Promise<Told> {
  const { app, connector } = scene.cast.clinic;
  const patient = patientOf(scene);
  const text = "As far as I know I'm not allergic to anything.";
  await talk(app, patient, "four", { role: "user", text });
  await connector.ask("POST", at(patient, "events"), { events: ALLERGY });
  await learnt(app, patient, "four");
  const { items } = await packOf(app, patient, "five");
  const state = items.find(({ kind }) => kind === "structured_state");
  claim(state?.text.includes("penicillin") === true, "the record's allergy is in the pack");
  const current = items.find(
    ({ kind, text: it }) => kind === "current_value" && it.startsWith("drug_reaction:"),
  );
  claim(current?.text.includes("penicillin") === true, "the record's word counts");
  claim(current.text.includes("outranked"), "what Mia said stands beside it, as outranked");
  return {
    detail: "the record's allergy outranks what was said, and the pack says so",
    show: [plainLines(current.text)],
  };
}
