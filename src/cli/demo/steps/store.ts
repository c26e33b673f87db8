import type { AssembleReply } from "../../../services/assemble.js";
import type { PromoteReply } from "../../../services/decided-candidate.js";
import type { FiledReply } from "../../../services/filing.js";
import type { ListCandidatesReply } from "../../../services/list-candidates.js";
import type { ListFieldsReply } from "../../../services/list-fields.js";
import type { WrittenReply } from "../../../services/value-writing.js";
import { path } from "../../client.js";
import { DELIVERY, DELIVERY_FIELD } from "../bank.js";
import { claim, same } from "../claim.js";
import { fact, type Scene, type Step, type Told } from "../story.js";

export const STORE_STEPS: readonly Step[] = [
  { name: "saved_setting", tell: saveSetting },
  { name: "promise_is_no_fact", tell: promise },
  { name: "approve", tell: approve },
  { name: "revert", tell: revert },
];

const JANE = path`/v1/subjects/${"jane"}`;
const SETTING = `${JANE}/fields/${DELIVERY_FIELD}`;

/** What the agent is told of the setting now, with where it comes from. */
async function inPack(scene: Scene) {
  const at = path`/v1/runs/${fact(scene, "run")}/pack`;
  const pack = await fact(scene, "agent").ask<AssembleReply>("POST", at, {});
  return pack.items.filter((item) => item.layer === "store");
}

async function standing(scene: Scene) {
  const { fields } = await scene.cast.app.ask<ListFieldsReply>("GET", `${JANE}/fields`);
  return fields.find((field) => field.field_id === DELIVERY_FIELD);
}

async function saveSetting(scene: Scene): Promise<Told> {
  await scene.cast.jane.ask<WrittenReply>("PUT", SETTING, { value: DELIVERY.saved });
  const field = await standing(scene);
  same(field?.value, DELIVERY.saved, "what Jane saved stands");
  const [line] = await inPack(scene);
  claim(line?.text.includes(DELIVERY.saved) === true, "the agent's pack has what Jane saved");
  claim(line.source.length > 0, "the line names its source");
  await scene.cast.tom.isRefused("not_found", "PUT", SETTING, { value: DELIVERY.heard });
  return {
    detail: `Jane saves "${DELIVERY.saved}" herself: the next pack has it, with its source`,
  };
}

async function promise(scene: Scene): Promise<Told> {
  const agent = fact(scene, "agent");
  const at = path`/v1/runs/${fact(scene, "run")}/preferences`;
  const body = { field_id: DELIVERY_FIELD, value: DELIVERY.heard };
  const filed = await agent.ask<FiledReply>("POST", at, body);
  same(filed.state, "quarantined", "what a model says waits for a person");
  await agent.isRefused("not_found", "POST", path`/v1/candidates/${filed.candidate_id}/approve`, {
    value_hash: filed.value_hash,
  });
  const lines = await inPack(scene);
  claim(!lines.some(({ text }) => text.includes(DELIVERY.heard)), "no pack has it");
  same((await standing(scene))?.value, DELIVERY.saved, "the setting stays as Jane saved it");
  scene.facts.candidate = filed;
  return {
    detail: `the agent heard "${DELIVERY.heard}": a candidate, in no pack, and not its to approve`,
  };
}

async function approve(scene: Scene): Promise<Told> {
  const { reviewer } = scene.cast;
  const { candidate_id, value_hash } = fact(scene, "candidate");
  const { candidates } = await reviewer.ask<ListCandidatesReply>("GET", "/v1/candidates?limit=200");
  claim(
    candidates.some((one) => one.candidate_id === candidate_id),
    "the reviewer finds it in the queue",
  );
  const at = path`/v1/candidates/${candidate_id}/approve`;
  await reviewer.isRefused("version_conflict", "POST", at, {
    value_hash: "0".repeat(value_hash.length),
  });
  const { promotion_id } = await reviewer.ask<PromoteReply>("POST", at, { value_hash });
  claim(promotion_id !== null, "one reviewer is enough for a preference");
  const [line] = await inPack(scene);
  claim(line?.text.includes(DELIVERY.heard) === true, "the next pack has the approved value");
  scene.facts.promotion = promotion_id;
  return { detail: `a reviewer approves exactly that value: it stands, and the next pack has it` };
}

async function revert(scene: Scene): Promise<Told> {
  const at = path`/v1/promotions/${fact(scene, "promotion")}/revert`;
  await scene.cast.reviewer.ask<WrittenReply>("POST", at, {});
  same((await standing(scene))?.value, DELIVERY.saved, "what Jane saved stands again");
  return {
    detail: `a second decision takes it back: "${DELIVERY.saved}" stands, the log has both`,
  };
}
