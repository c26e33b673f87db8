import type { AssembleReply } from "../../../services/assemble.js";
import type { ReadRunReply } from "../../../services/read-run.js";
import type { TakeTurnReply } from "../../../services/take-turn.js";
import { path } from "../../client.js";
import type { StartedRun } from "../../started-run.js";
import { PAYMENT_GOAL, PAYMENT_ROUTE } from "../bank.js";
import { claim, same } from "../claim.js";
import { fact, type Scene, type Step, type Told } from "../story.js";

export const SWITCH_STEPS: readonly Step[] = [{ name: "new_intent", tell: switchIntent }];

async function switchIntent(scene: Scene): Promise<Told> {
  const { cast, sessionA } = scene;
  const session = path`/v1/subjects/${"jane"}/sessions/${sessionA}`;
  const body = { route_id: PAYMENT_ROUTE, goal: PAYMENT_GOAL };
  const started = await cast.app.ask<StartedRun>("POST", `${session}/runs`, body);
  claim(started.run_id !== fact(scene, "run"), "another intent is another run");
  scene.facts.payment = started.run_id;
  const run = path`/v1/runs/${started.run_id}`;
  const view = await cast.app.ask<ReadRunReply>("GET", run);
  same(view.route_id, PAYMENT_ROUTE, "it is pinned to the payment route");
  same(view.slots, {}, "it has none of the old slots");
  same(view.notes, [], "it has none of the old notes");
  const agent = cast.agent(started.run_token);
  const pack = await agent.ask<AssembleReply>("POST", `${run}/pack`, {});
  const carried = pack.items.filter(({ kind }) => kind !== "turn" && kind !== "goal");
  same(carried, [], "its pack has a goal and the chat's turns, and nothing of the old work");
  await agent.isRefused("mode_none", "POST", `${run}/recall`, { query: "overdraft" });
  const turn = await cast.app.ask<TakeTurnReply>("POST", `${session}/turn`, {});
  same(turn.run_id, started.run_id, "the chat now sticks to the new run");
  await agent.isRefused("not_found", "GET", path`/v1/runs/${fact(scene, "run")}`);
  return {
    detail: `${PAYMENT_ROUTE} is a new pin: no old slots, no recall, no way back for its agent`,
  };
}
