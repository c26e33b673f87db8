import type { AppendTurnsReply } from "../../../services/append-turns.js";
import type { CompleteStageReply } from "../../../services/complete-stage.js";
import type { ImportReply } from "../../../services/import-turns.js";
import type { PutFieldReply } from "../../../services/put-field.js";
import type { PutRouteReply } from "../../../services/put-route.js";
import type { ReadRouteReply } from "../../../services/read-route.js";
import type { ReadRunReply } from "../../../services/read-run.js";
import type { RecallReply } from "../../../services/recall-turns.js";
import type { TakeTurnReply } from "../../../services/take-turn.js";
import { path } from "../../client.js";
import { readDefinitionFiles } from "../../definition-files.js";
import type { StartedRun } from "../../started-run.js";
import { timeOf } from "../../time.js";
import {
  FEBRUARY,
  FEE_ROUTE,
  FIELDS,
  FOLLOW_UPS,
  GOAL,
  LOOKUP,
  OPENING,
  PAYMENT_ROUTE,
  POLICY,
  ROUTES,
} from "../bank.js";
import { claim, same } from "../claim.js";
import { fact, type Scene, type Step, type Told } from "../story.js";

export const RUN_STEPS: readonly Step[] = [
  { name: "routes", tell: loadRoutes },
  { name: "history", tell: importHistory },
  { name: "pin", tell: pinRun },
  { name: "recall", tell: recallInStage },
  { name: "stages", tell: completeLookup },
  { name: "crash", tell: crash },
  { name: "resume", tell: resume },
  { name: "route_edit", tell: editRoute },
  { name: "follow_up", tell: followUp },
];

async function loadRoutes(scene: Scene): Promise<Told> {
  const { operator } = scene.cast;
  for (const { id, definition } of readDefinitionFiles(FIELDS, "field_id")) {
    const body = { ...definition, reason: "demo" };
    await operator.ask<PutFieldReply>("PUT", path`/v1/fields/${id}`, body);
  }
  for (const { id, definition } of readDefinitionFiles(ROUTES, "route_id")) {
    const body = { ...definition, reason: "demo" };
    const put = await operator.ask<PutRouteReply>("PUT", path`/v1/routes/${id}`, body);
    if (id === FEE_ROUTE) scene.facts.version = put.version;
  }
  const version = fact(scene, "version");
  const fee = await operator.ask<ReadRouteReply>("GET", path`/v1/routes/${FEE_ROUTE}`);
  const payment = await operator.ask<ReadRouteReply>("GET", path`/v1/routes/${PAYMENT_ROUTE}`);
  same(fee.route.version, version, "the version that was written is the latest");
  same(fee.route.memory_profile.long_term, "retrieve_only", "the fee route may recall");
  same(payment.route.memory_profile.long_term, "none", "the payment route may not");
  return {
    detail: `${FEE_ROUTE} v${version} and ${PAYMENT_ROUTE} v${payment.route.version} stand`,
  };
}

async function importHistory(scene: Scene): Promise<Told> {
  const body = { route_id: FEE_ROUTE, rows: FEBRUARY };
  const at = path`/v1/subjects/${"jane"}/import`;
  const first = await scene.cast.app.ask<ImportReply>("POST", at, body);
  if (first.skipped > 0) return await importSince(scene, at);
  scene.facts.history = FEBRUARY;
  same(first.imported + first.duplicates, FEBRUARY.length, "each row is in or was there");
  const again = await scene.cast.app.ask<ImportReply>("POST", at, body);
  same(again.duplicates, FEBRUARY.length, "a second import adds nothing");
  return { detail: `Jane's call of February is evidence, and importing it again adds nothing` };
}

/** Somebody has erased Jane since the story was told: February stays away, and she says the same today. */
async function importSince(scene: Scene, at: string): Promise<Told> {
  const today = new Date().toISOString();
  const rows = FEBRUARY.map((row) => ({
    ...row,
    source_id: `${row.source_id}-${scene.sessionA}`,
    observed_at: today,
  }));
  const reply = await scene.cast.app.ask<ImportReply>("POST", at, { route_id: FEE_ROUTE, rows });
  same(reply.imported, rows.length, "what was said since is evidence");
  scene.facts.history = rows;
  return {
    detail: "Jane was erased since: her call of February is skipped, what she says today isn't",
  };
}

async function pinRun(scene: Scene): Promise<Told> {
  const { cast, sessionA } = scene;
  const at = path`/v1/subjects/${"jane"}/sessions/${sessionA}/runs`;
  const run = await cast.app.ask<StartedRun>("POST", at, { route_id: FEE_ROUTE, goal: GOAL });
  const version = fact(scene, "version");
  same(run.route_version, version, "the run is pinned to the latest version");
  scene.facts.run = run.run_id;
  scene.facts.agent = cast.agent(run.run_token);
  const turns = path`/v1/runs/${run.run_id}/turns`;
  const kept = await cast.app.ask<AppendTurnsReply>("POST", turns, { turns: OPENING });
  same(kept.turn_ids.length, OPENING.length, "each turn is kept");
  return {
    detail: `Jane's run is pinned to ${FEE_ROUTE} v${version}; ${OPENING.length} turns kept`,
  };
}

async function recallInStage(scene: Scene): Promise<Told> {
  const at = path`/v1/runs/${fact(scene, "run")}/recall`;
  const body = { query: "keep the overdraft closed while travelling", limit: 5 };
  const found = await fact(scene, "agent").ask<RecallReply>("POST", at, body);
  const [said] = fact(scene, "history");
  const hit = found.hits.find(({ text }) => text === said?.text);
  claim(hit !== undefined && said !== undefined, "the agent finds what Jane said before");
  same(hit.speaker, said.speaker, "the hit names its speaker");
  same(new Date(hit.observed_at), new Date(said.observed_at), "the hit has its own time");
  return {
    detail: `stage lookup recalls: "${hit.text}" (${hit.speaker}, ${timeOf(hit.observed_at)})`,
  };
}

async function completeLookup(scene: Scene): Promise<Told> {
  const run = fact(scene, "run");
  const agent = fact(scene, "agent");
  const at = path`/v1/runs/${run}/stages/${"lookup"}`;
  const body = { output: LOOKUP, notes: ["one fee in March, no waiver on file"] };
  const done = await agent.ask<CompleteStageReply>("PUT", at, body);
  same(done.resume_index, 1, "the run stands before its second stage");
  const view = await scene.cast.app.ask<ReadRunReply>("GET", path`/v1/runs/${run}`);
  same(view.slots, { lookup: LOOKUP }, "the stage's output is its slot");
  await agent.isRefused("denied", "POST", path`/v1/runs/${run}/recall`, { query: "overdraft" });
  return { detail: "stage lookup left its slot; recall is closed in the next stage" };
}

async function crash(scene: Scene): Promise<Told> {
  const at = path`/v1/runs/${fact(scene, "run")}`;
  await scene.cast.app.ask("POST", `${at}/fail`, { code: "process_killed" });
  const view = await scene.cast.app.ask<ReadRunReply>("GET", at);
  same(view.state, "failed", "the run has failed");
  same(view.failure_code, "process_killed", "its failure is known");
  return { detail: "the process dies in stage policy: the run has failed, its slots stay" };
}

async function resume(scene: Scene): Promise<Told> {
  const { cast, sessionA } = scene;
  const run = fact(scene, "run");
  const at = path`/v1/subjects/${"jane"}/sessions/${sessionA}/turn`;
  const turn = await cast.app.ask<TakeTurnReply>("POST", at, {});
  same(turn.run_id, run, "the same run goes on");
  same(turn.resumed, true, "it was taken up again");
  same(turn.resume_index, 1, "it goes on with the stage that it died in");
  same(turn.slots, { lookup: LOOKUP }, "what lookup found is there");
  const stage = path`/v1/runs/${run}/stages/${"policy"}`;
  const done = await fact(scene, "agent").ask<CompleteStageReply>("PUT", stage, { output: POLICY });
  same(done.resume_index, 2, "the next stage is the last");
  return { detail: "the run resumes at stage policy with lookup's slot, and completes it" };
}

async function editRoute(scene: Scene): Promise<Told> {
  const { operator, app } = scene.cast;
  const version = fact(scene, "version");
  const [fee] = readDefinitionFiles(ROUTES, "route_id").filter(({ id }) => id === FEE_ROUTE);
  const profile = { ...(fee?.definition.memory_profile as object), long_term: "none" };
  const edited = {
    ...fee?.definition,
    memory_profile: profile,
    reason: "demo: no recall any more",
  };
  const put = await operator.ask<PutRouteReply>("PUT", path`/v1/routes/${FEE_ROUTE}`, edited);
  same(put.version, version + 1, "the edit is a new version");
  const view = await app.ask<ReadRunReply>("GET", path`/v1/runs/${fact(scene, "run")}`);
  same(view.route_version, version, "the live run keeps its pin");
  const at = path`/v1/subjects/${"jane"}/sessions/${`${scene.sessionA}-later`}/runs`;
  const later = await app.ask<StartedRun>("POST", at, { route_id: FEE_ROUTE, goal: GOAL });
  same(later.route_version, version + 1, "a later run gets the edit");
  const recall = path`/v1/runs/${later.run_id}/recall`;
  await app.isRefused("mode_none", "POST", recall, { query: "overdraft" });
  return {
    detail: `v${version + 1} takes recall away from new runs; the live one stays on v${version}`,
  };
}

async function followUp(scene: Scene): Promise<Told> {
  const { cast, sessionA } = scene;
  const at = path`/v1/subjects/${"jane"}/sessions/${sessionA}/turn`;
  for (const said of FOLLOW_UPS) {
    const turn = await cast.app.ask<TakeTurnReply>("POST", at, { turns: [said] });
    same(turn.run_id, fact(scene, "run"), `"${said.text}" stays on the run`);
    same(turn.route_version, fact(scene, "version"), `"${said.text}" stays on the pin`);
    same(turn.slots, { lookup: LOOKUP, policy: POLICY }, `"${said.text}" finds the slots`);
    same(turn.turn_ids.length, 1, `"${said.text}" is kept`);
  }
  const said = FOLLOW_UPS.map(({ text }) => `"${text}"`).join(" and ");
  return { detail: `${said} stay on the same run, with the slots of both stages` };
}
