import type { AssembleReply } from "../../../services/assemble.js";
import type { EraseSubjectReply } from "../../../services/erase-subject.js";
import type { FindTextReply } from "../../../services/find-text.js";
import type { ImportReply } from "../../../services/import-turns.js";
import type { ListFieldsReply } from "../../../services/list-fields.js";
import type { VerifyErasureReply } from "../../../services/verify-erasure.js";
import { path } from "../../client.js";
import { counted } from "../../counted.js";
import type { StartedRun } from "../../started-run.js";
import { CHAT_ROUTE, FEBRUARY } from "../bank.js";
import { claim, same } from "../claim.js";
import { fact, type Scene, type Step, type Told } from "../story.js";

export const ERASE_STEPS: readonly Step[] = [
  { name: "erase", tell: erase },
  { name: "found_nowhere", tell: lookEverywhere },
  { name: "no_way_back", tell: importAgain },
];

/** A customer who leaves: somebody new each time the story is told, since who was erased stays erased. */
const leaver = ({ sessionA }: Scene) => `leaver-${sessionA}`;
const at = (scene: Scene) => path`/v1/subjects/${leaver(scene)}`;

async function importOld(scene: Scene): Promise<ImportReply> {
  const body = { route_id: CHAT_ROUTE, rows: FEBRUARY };
  return await scene.cast.app.ask<ImportReply>("POST", `${at(scene)}/import`, body);
}

async function erase(scene: Scene): Promise<Told> {
  const { app, privacy, tom } = scene.cast;
  same((await importOld(scene)).imported, FEBRUARY.length, "the customer has a history");
  await tom.isRefused("not_found", "POST", `${at(scene)}/erasures`, {});
  await app.isRefused("denied", "POST", `${at(scene)}/erasures`, {});
  const receipt = await privacy.ask<EraseSubjectReply>("POST", `${at(scene)}/erasures`, {});
  const rows = receipt.stores.reduce((sum, { rows_removed }) => sum + rows_removed, 0);
  claim(rows > 0, "rows were removed");
  claim(!JSON.stringify(receipt).includes(leaver(scene)), "the receipt names nobody");
  scene.facts.receipt = receipt;
  return {
    detail: `a customer is forgotten: ${counted(rows, "row")} gone and the key with them, in one step`,
  };
}

async function lookEverywhere(scene: Scene): Promise<Told> {
  const { app, privacy } = scene.cast;
  const { decision: _, ...receipt } = fact(scene, "receipt");
  const found = receipt.stores.filter((store) => store.found > 0);
  same(found, [], "the search found nothing in any store");
  const verify = path`/v1/erasures/${receipt.erasure_id}/verify`;
  const verified = await privacy.ask<VerifyErasureReply>("POST", verify, { receipt });
  same([verified.ok, verified.signature], [true, "valid"], "a second search says the same");
  const { stores } = await privacy.ask<FindTextReply>("POST", "/v1/find", { text: leaver(scene) });
  same(
    stores.filter((store) => store.found > 0),
    [],
    "the customer's own id stands nowhere",
  );
  await app.isRefused("not_found", "GET", `${at(scene)}/fields`);
  const own = `the ${counted(receipt.stores.length, "store")} that can hold something of a person`;
  const all = `all ${stores.length}, files too, for the customer's own id`;
  return { detail: `${own} were searched twice, and ${all}: nothing is left in any` };
}

async function importAgain(scene: Scene): Promise<Told> {
  const { app } = scene.cast;
  const { imported, skipped, rows } = await importOld(scene);
  same([imported, skipped], [0, FEBRUARY.length], "the old file brings nothing back");
  claim(
    rows.every(({ refusal }) => refusal?.kind === "erased"),
    "each row says why",
  );
  await app.isRefused("not_found", "GET", `${at(scene)}/fields`);
  const runs = path`/v1/subjects/${leaver(scene)}/sessions/${"again"}/runs`;
  const run = await app.ask<StartedRun>("POST", runs, { route_id: CHAT_ROUTE, goal: "Say hello" });
  const pack = path`/v1/runs/${run.run_id}/pack`;
  const recall = { query: "Lisbon overdraft" };
  const { text } = await app.ask<AssembleReply>("POST", pack, { recall });
  claim(!text.includes("Lisbon"), "who comes back comes back as nobody");
  same((await app.ask<ListFieldsReply>("GET", `${at(scene)}/fields`)).fields, [], "without facts");
  return { detail: "an old file is skipped row by row, and who comes back is a new person" };
}
