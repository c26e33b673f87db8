import { setTimeout as wait } from "node:timers/promises";
import type { AssembleReply } from "../../../services/assemble.js";
import type { CloseSessionReply } from "../../../services/close-session.js";
import type { ListWorkReply } from "../../../services/list-work.js";
import type { RecallEpisodesReply } from "../../../services/recall-episodes.js";
import { path } from "../../client.js";
import { readDefinitionFiles } from "../../definition-files.js";
import type { StartedRun } from "../../started-run.js";
import { FEE_ROUTE, PAYMENT_GOAL, PAYMENT_ROUTE, ROUTES } from "../bank.js";
import { claim, same } from "../claim.js";
import { fact, type Scene, type Step, type Told } from "../story.js";

export const EPISODE_STEPS: readonly Step[] = [
  { name: "close", tell: closeChat },
  { name: "dispute_recalled", tell: recallDispute },
  { name: "dispute_kept_away", tell: payWithoutIt },
];

const QUERY = { query: "overdraft fee waived" } as const;
const LOOKS_MAX = 50;
const LOOK_MS = 200;

/** Waits for the service's own worker. */
async function madeBy(scene: Scene, workId: string | null): Promise<void> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const { work } = await scene.cast.operator.ask<ListWorkReply>("GET", "/v1/work?limit=50");
    const own = work.find(({ work_id }) => work_id === workId);
    claim(own !== undefined, "the chat's job is in the list");
    claim(own.state !== "parked", `the job isn't parked (${own.problem ?? "no problem"})`);
    if (own.state === "done") return;
    await wait(LOOK_MS);
  }
  claim(false, "the job was done in ten seconds");
}

async function closeChat(scene: Scene): Promise<Told> {
  const { app } = scene.cast;
  const chat = path`/v1/subjects/${"jane"}/sessions/${scene.sessionA}`;
  const closed = await app.ask<CloseSessionReply>("POST", `${chat}/close`, {});
  await madeBy(scene, closed.work_id);
  const said = { turns: [{ role: "user", text: "One more thing." }] };
  await app.isRefused("run_ended", "POST", path`/v1/runs/${fact(scene, "payment")}/turns`, said);
  return { detail: "Jane's chat is closed, and compressed to what it came to" };
}

/** A later chat of Jane's, in the fee route's stage that may look back. */
async function recallDispute(scene: Scene): Promise<Told> {
  const { operator, app, agent } = scene.cast;
  const [fee] = readDefinitionFiles(ROUTES, "route_id").filter(({ id }) => id === FEE_ROUTE);
  const body = { ...fee?.definition, reason: "demo: recall again" };
  await operator.ask("PUT", path`/v1/routes/${FEE_ROUTE}`, body);
  const chat = path`/v1/subjects/${"jane"}/sessions/${`${scene.sessionA}-fee`}`;
  const goal = { route_id: FEE_ROUTE, goal: "Explain another fee" };
  const run = await app.ask<StartedRun>("POST", `${chat}/runs`, goal);
  const recall = path`/v1/runs/${run.run_id}/recall-episodes`;
  const found = await agent(run.run_token).ask<RecallEpisodesReply>("POST", recall, QUERY);
  const [hit] = found.hits;
  claim(hit !== undefined, "a later fee chat finds the dispute");
  same(hit.source.source_route_id, FEE_ROUTE, "it names the route that it comes from");
  const entries = Object.values(hit.summary).flat();
  claim(
    entries.every(({ turn_ids, working }) => turn_ids.length + working.length > 0),
    "each line of it names what it was taken from",
  );
  return { detail: `a later fee chat recalls it: ${entries.length} lines, each with its evidence` };
}

async function payWithoutIt(scene: Scene): Promise<Told> {
  const { app, agent } = scene.cast;
  const chat = path`/v1/subjects/${"jane"}/sessions/${`${scene.sessionA}-pay`}`;
  const goal = { route_id: PAYMENT_ROUTE, goal: PAYMENT_GOAL };
  const run = await app.ask<StartedRun>("POST", `${chat}/runs`, goal);
  const payer = agent(run.run_token);
  const at = path`/v1/runs/${run.run_id}`;
  await payer.isRefused("mode_none", "POST", `${at}/recall-episodes`, QUERY);
  await payer.isRefused("mode_none", "POST", `${at}/recall`, QUERY);
  const pack = await payer.ask<AssembleReply>("POST", `${at}/pack`, {});
  same(
    pack.items.map(({ kind }) => kind),
    ["goal"],
    "today's payment knows its goal and nothing else",
  );
  return { detail: "today's payment gets no service that could recall it, and a pack without it" };
}
