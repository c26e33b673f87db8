import type { Claims } from "../domain/principal.js";
import { deleteField } from "../services/delete-field.js";
import { listCandidates } from "../services/list-candidates.js";
import { listFields } from "../services/list-fields.js";
import { listPromotions } from "../services/list-promotions.js";
import { promoteByEvaluator } from "../services/promote-by-evaluator.js";
import { promoteByHuman } from "../services/promote-by-human.js";
import { promoteByReconcile } from "../services/promote-by-reconcile.js";
import { proposeField } from "../services/propose-field.js";
import { putField } from "../services/put-field.js";
import { listDefinitions, readField } from "../services/read-field.js";
import { rejectCandidate } from "../services/reject-candidate.js";
import { revertPromotion } from "../services/revert-promotion.js";
import type { Services } from "../services/services.js";
import { setPreference } from "../services/set-preference.js";
import { setSessionField } from "../services/set-session-field.js";
import { upsertPreference } from "../services/upsert-preference.js";
import { bindingOf } from "./binding.js";
import type { CallOptions } from "./operations.js";

/** Operations on the store, as one caller. */
export function boundStoreOperations(services: Services, claims: Claims, options: CallOptions) {
  const { bind } = bindingOf(services, claims, options);
  return {
    putField: bind(putField),
    readField: bind(readField),
    listDefinitions: bind(listDefinitions),
    proposeField: bind(proposeField),
    upsertPreference: bind(upsertPreference),
    listCandidates: bind(listCandidates),
    promoteByHuman: bind(promoteByHuman),
    promoteByEvaluator: bind(promoteByEvaluator),
    promoteByReconcile: bind(promoteByReconcile),
    rejectCandidate: bind(rejectCandidate),
    revertPromotion: bind(revertPromotion),
    setPreference: bind(setPreference),
    setSessionField: bind(setSessionField),
    deleteField: bind(deleteField),
    listFields: bind(listFields),
    listPromotions: bind(listPromotions),
  };
}
