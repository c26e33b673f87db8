import { deleteField } from "../services/delete-field.js";
import {
  deleteFieldInput,
  listCandidatesInput,
  listDefinitionsInput,
  listPromotionsInput,
  promoteByEvaluatorInput,
  promoteByHumanInput,
  proposeFieldInput,
  readFieldInput,
  reconcileInput,
  rejectCandidateInput,
  revertPromotionInput,
  setFieldInput,
} from "../services/inputs/field.js";
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
import { setPreference } from "../services/set-preference.js";
import { setSessionField } from "../services/set-session-field.js";
import { type Door, door } from "./door.js";
import { putFieldBody } from "./field-body.js";

const FIELD = "/v1/fields/:field_id";
const SUBJECT = "/v1/subjects/:subject";
const CANDIDATE = "/v1/candidates/:candidate";

/** What is done with fields, candidates and promotions. */
export const STORE_OPERATIONS: readonly Door[] = [
  door({
    action: "put_field",
    method: "PUT",
    path: FIELD,
    status: 200,
    summary: "Writes a new version of a field's definition",
    body: putFieldBody,
    run: (services, caller, { params, body }) => putField(services, caller, params.field_id, body),
  }),
  door({
    action: "read_field",
    method: "GET",
    path: FIELD,
    status: 200,
    summary: "A field's definition, the latest version where none is named",
    query: readFieldInput,
    run: (services, caller, { params, query }) =>
      readField(services, caller, params.field_id, query),
  }),
  door({
    action: "list_definitions",
    method: "GET",
    path: "/v1/fields",
    status: 200,
    summary: "Latest definition of each field",
    query: listDefinitionsInput,
    run: (services, caller, { query }) => listDefinitions(services, caller, query),
  }),
  door({
    action: "list_candidates",
    method: "GET",
    path: "/v1/candidates",
    status: 200,
    summary: "The review queue, oldest first",
    query: listCandidatesInput,
    run: (services, caller, { query }) => listCandidates(services, caller, query),
  }),
  door({
    action: "propose_field",
    method: "POST",
    path: `${SUBJECT}/candidates`,
    status: 201,
    summary: "Proposes a value for a field of the subject: it waits for a decision",
    body: proposeFieldInput,
    run: (services, caller, { params, body }) =>
      proposeField(services, caller, params.subject, body),
  }),
  door({
    action: "promote_by_human",
    method: "POST",
    path: `${CANDIDATE}/approve`,
    status: 200,
    summary: "Path 1: a person approves a candidate, for exactly the value that they saw",
    body: promoteByHumanInput,
    run: (services, caller, { params, body }) =>
      promoteByHuman(services, caller, params.candidate, body),
  }),
  door({
    action: "promote_by_evaluator",
    method: "POST",
    path: `${CANDIDATE}/pass`,
    status: 200,
    summary: "Path 2: an evaluator says that a candidate passed its field's criterion",
    body: promoteByEvaluatorInput,
    run: (services, caller, { params, body }) =>
      promoteByEvaluator(services, caller, params.candidate, body),
  }),
  door({
    action: "reject_candidate",
    method: "POST",
    path: `${CANDIDATE}/reject`,
    status: 200,
    summary: "Turns a candidate down",
    body: rejectCandidateInput,
    run: (services, caller, { params, body }) =>
      rejectCandidate(services, caller, params.candidate, body),
  }),
  door({
    action: "promote_by_reconcile",
    method: "POST",
    path: `${SUBJECT}/reconcile`,
    status: 200,
    summary: "Path 3: compares fields with the system of record and writes what differs",
    body: reconcileInput,
    run: (services, caller, { params, body }) =>
      promoteByReconcile(services, caller, params.subject, body),
  }),
  door({
    action: "revert_promotion",
    method: "POST",
    path: "/v1/promotions/:promotion/revert",
    status: 200,
    summary: "Takes a decision back by a new one",
    body: revertPromotionInput,
    run: (services, caller, { params, body }) =>
      revertPromotion(services, caller, params.promotion, body),
  }),
  door({
    action: "set_preference",
    method: "PUT",
    path: `${SUBJECT}/fields/:field_id`,
    status: 200,
    summary: "A person's own setting, or that of somebody who serves them; null removes it",
    body: setFieldInput,
    run: (services, caller, { params, body }) =>
      setPreference(services, caller, params.subject, params.field_id, body),
  }),
  door({
    action: "delete_field",
    method: "POST",
    path: `${SUBJECT}/fields/:field_id/delete`,
    status: 200,
    summary: "Ends a customer key: the field has no value any more",
    body: deleteFieldInput,
    run: (services, caller, { params, body }) =>
      deleteField(services, caller, params.subject, params.field_id, body),
  }),
  door({
    action: "list_fields",
    method: "GET",
    path: `${SUBJECT}/fields`,
    status: 200,
    summary: "Every durable field that an agent can read about the subject",
    run: (services, caller, { params }) => listFields(services, caller, params.subject),
  }),
  door({
    action: "list_promotions",
    method: "GET",
    path: `${SUBJECT}/promotions`,
    status: 200,
    summary: "Every decision that wrote to the subject's store, newest first",
    query: listPromotionsInput,
    run: (services, caller, { params, query }) =>
      listPromotions(services, caller, params.subject, query),
  }),
  door({
    action: "set_session_field",
    method: "PUT",
    path: "/v1/runs/:run/fields/:field_id",
    status: 200,
    summary: "A person in the run sets a field of that chat",
    body: setFieldInput,
    run: (services, caller, { params, body }) =>
      setSessionField(services, caller, params.run, params.field_id, body),
  }),
];
