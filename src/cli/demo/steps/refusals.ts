import type { AssembleReply } from "../../../services/assemble.js";
import type { ListTurnsReply } from "../../../services/list-turns.js";
import type { ListRoutesReply } from "../../../services/read-route.js";
import { path } from "../../client.js";
import type { StartedRun } from "../../started-run.js";
import { FEE_ROUTE, OPENING } from "../bank.js";
import type { Actor } from "../cast.js";
import { claim, same } from "../claim.js";
import { fact, type Scene, type Step, type Told } from "../story.js";

export const REFUSAL_STEPS: readonly Step[] = [
  { name: "other_session", tell: otherSession },
  { name: "other_customer", tell: otherCustomer },
  { name: "other_bank", tell: otherBank },
];

const HELLO = "Hello, a new chat.";

/** Every way to Jane's first chat answers as if it weren't there. */
async function claimInvisible(actor: Actor, scene: Scene): Promise<void> {
  const run = path`/v1/runs/${fact(scene, "run")}`;
  await actor.isRefused("not_found", "GET", run);
  await actor.isRefused("not_found", "GET", `${run}/turns`);
  await actor.isRefused("not_found", "POST", `${run}/pack`, {});
  await actor.isRefused("not_found", "POST", `${run}/recall`, { query: "fee" });
}

/** The same credential works where it belongs, and shows nothing of Jane's first chat there. */
async function claimOwnChat(actor: Actor, subject: string, session: string): Promise<void> {
  const at = path`/v1/subjects/${subject}/sessions/${session}/runs`;
  const own = await actor.ask<StartedRun>("POST", at, { route_id: FEE_ROUTE, goal: "Say hello" });
  const run = path`/v1/runs/${own.run_id}`;
  await actor.ask("POST", `${run}/turns`, { turns: [{ role: "user", text: HELLO }] });
  const { turns } = await actor.ask<ListTurnsReply>("GET", `${run}/turns`);
  same(
    turns.map(({ text }) => text),
    [HELLO],
    "the own chat has its own turn alone",
  );
  const pack = await actor.ask<AssembleReply>("POST", `${run}/pack`, {});
  claim(
    OPENING.every(({ text }) => !pack.text.includes(text)),
    "the own pack has nothing of Jane's first chat",
  );
}

async function otherSession(scene: Scene): Promise<Told> {
  const { janeInB } = scene.cast;
  await claimOwnChat(janeInB, "jane", scene.sessionB);
  await claimInvisible(janeInB, scene);
  return { detail: "Jane's credential for chat B works in B; chat A isn't found with it" };
}

async function otherCustomer(scene: Scene): Promise<Told> {
  const { tom } = scene.cast;
  await claimOwnChat(tom, "tom", scene.sessionB);
  await claimInvisible(tom, scene);
  const turn = path`/v1/subjects/${"jane"}/sessions/${scene.sessionA}/turn`;
  await tom.isRefused("not_found", "POST", turn, {});
  return { detail: "Tom talks in his own chat; Jane and her runs aren't found for him" };
}

async function otherBank(scene: Scene): Promise<Told> {
  const { otherApp } = scene.cast;
  const { routes } = await otherApp.ask<ListRoutesReply>("GET", "/v1/routes");
  same(routes, [], "bank-nz sees its own routes, and it has none");
  await claimInvisible(otherApp, scene);
  const turn = path`/v1/subjects/${"jane"}/sessions/${scene.sessionA}/turn`;
  await otherApp.isRefused("not_found", "POST", turn, {});
  const pack = path`/v1/packs/${fact(scene, "pack").pack_id}`;
  await otherApp.isRefused("not_found", "GET", pack);
  return { detail: "bank-nz is let in as itself; Jane, her run and her pack aren't found there" };
}
