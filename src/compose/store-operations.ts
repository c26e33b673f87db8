import type { PageQuery } from "../services/bodies.js";
import type { PromoteReply } from "../services/decided-candidate.js";
import type * as body from "../services/field-bodies.js";
import type { FiledReply } from "../services/filing.js";
import type { ListCandidatesReply } from "../services/list-candidates.js";
import type { ListFieldsReply } from "../services/list-fields.js";
import type { ListPromotionsReply } from "../services/list-promotions.js";
import type { ReconcileReply } from "../services/promote-by-reconcile.js";
import type { PutFieldReply } from "../services/put-field.js";
import type { ListDefinitionsReply, ReadFieldReply } from "../services/read-field.js";
import type { RejectReply } from "../services/reject-candidate.js";
import type { WrittenReply } from "../services/value-writing.js";

/** Operations on the store: what may be a fact, who proposed it, who decided so. */
export interface StoreOperations {
  /** Writes a new version of a field's definition; saying the same again changes nothing. */
  putField(fieldId: string, body: body.PutFieldBody): Promise<PutFieldReply>;
  /** The latest version where none is named. */
  readField(fieldId: string, query: { readonly version?: number }): Promise<ReadFieldReply>;
  listDefinitions(query: PageQuery): Promise<ListDefinitionsReply>;
  /** Files a candidate: it waits for a decision, and no model is shown it before. */
  proposeField(subject: string, body: body.ProposeFieldBody): Promise<FiledReply>;
  /** A model's call of the governed tool: files a candidate too, whatever it says. */
  upsertPreference(runId: string, body: body.UpsertPreferenceBody): Promise<FiledReply>;
  /** The review queue. */
  listCandidates(query: body.CandidatesQuery): Promise<ListCandidatesReply>;
  /** Path 1: a reviewer approves a candidate for exactly the value that they saw. */
  promoteByHuman(candidateId: string, body: body.PromoteByHumanBody): Promise<PromoteReply>;
  /** Path 2: an evaluator says that a candidate passed the criterion of its field. */
  promoteByEvaluator(candidateId: string, body: body.PromoteByEvaluatorBody): Promise<PromoteReply>;
  /** Path 3: compares fields with the system of record and writes what differs. */
  promoteByReconcile(subject: string, body: body.ReconcileBody): Promise<ReconcileReply>;
  rejectCandidate(candidateId: string, body: body.RejectCandidateBody): Promise<RejectReply>;
  /** Takes the decision whose value stands now back by a new one. */
  revertPromotion(promotionId: string, body: object): Promise<WrittenReply>;
  /** A person's own click on "save", or that of somebody who serves them. Null removes. */
  setPreference(subject: string, fieldId: string, body: body.SetFieldBody): Promise<WrittenReply>;
  /** The same for a field whose key is one chat's. */
  setSessionField(runId: string, fieldId: string, body: body.SetFieldBody): Promise<WrittenReply>;
  /** Ends a customer key. */
  deleteField(subject: string, fieldId: string, body: object): Promise<WrittenReply>;
  /** Every durable field that an agent can read about a subject, with who put it there. */
  listFields(subject: string): Promise<ListFieldsReply>;
  /** Every decision that wrote to a subject's store, newest first. */
  listPromotions(subject: string, query: body.PromotionsQuery): Promise<ListPromotionsReply>;
}
