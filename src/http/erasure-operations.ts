import { eraseScope } from "../services/erase-scope.js";
import { eraseSubject } from "../services/erase-subject.js";
import { findText } from "../services/find-text.js";
import {
  eraseScopeInput,
  eraseSubjectInput,
  findTextInput,
  listHoldsInput,
  placeHoldInput,
  rotateKeyInput,
  verifyErasureInput,
} from "../services/inputs/erasure.js";
import { listHolds } from "../services/list-holds.js";
import { placeHold } from "../services/place-hold.js";
import { readErasure } from "../services/read-erasure.js";
import { releaseHold } from "../services/release-hold.js";
import { rotateKey } from "../services/rotate-key.js";
import { verifyErasure } from "../services/verify-erasure.js";
import { type Door, door } from "./door.js";

const ERASURE = "/v1/erasures/:erasure";

/** What is done about forgetting. */
export const ERASURE_OPERATIONS: readonly Door[] = [
  door({
    action: "erase_subject",
    method: "POST",
    path: "/v1/subjects/:subject/erasures",
    status: 201,
    summary:
      "Forgets a person: everything of the subject, its key included. Answers with the receipt",
    body: eraseSubjectInput,
    run: (services, caller, { params, body }) =>
      eraseSubject(services, caller, params.subject, body),
  }),
  door({
    action: "erase_scope",
    method: "POST",
    path: "/v1/subjects/:subject/erasures/:scope",
    status: 201,
    summary:
      "Forgets a session, run, source, turn, episode or field of a person who stays, with what derives from it alone",
    body: eraseScopeInput,
    run: (services, caller, { params, body }) =>
      eraseScope(services, caller, params.subject, params.scope, body),
  }),
  door({
    action: "place_hold",
    method: "POST",
    path: "/v1/subjects/:subject/holds",
    status: 201,
    summary: "Forbids to forget a person, or something of them, until the hold is released",
    body: placeHoldInput,
    run: (services, caller, { params, body }) => placeHold(services, caller, params.subject, body),
  }),
  door({
    action: "release_hold",
    method: "POST",
    path: "/v1/holds/:hold/release",
    status: 200,
    summary: "Ends a hold",
    run: (services, caller, { params }) => releaseHold(services, caller, params.hold),
  }),
  door({
    action: "list_holds",
    method: "GET",
    path: "/v1/holds",
    status: 200,
    summary: "Holds that stand, in the order in which they were placed",
    query: listHoldsInput,
    run: (services, caller, { query }) => listHolds(services, caller, query),
  }),
  door({
    action: "rotate_key",
    method: "POST",
    path: "/v1/subjects/:subject/key-rotations",
    status: 200,
    summary:
      "Gives a person a new data key and seals what there is anew. While it answers `sealing`, asking again goes on",
    body: rotateKeyInput,
    run: (services, caller, { params, body }) => rotateKey(services, caller, params.subject, body),
  }),
  door({
    action: "read_erasure",
    method: "GET",
    path: ERASURE,
    status: 200,
    summary: "How far an erasure is, with its receipt",
    run: (services, caller, { params }) => readErasure(services, caller, params.erasure),
  }),
  door({
    action: "verify_erasure",
    method: "POST",
    path: `${ERASURE}/verify`,
    status: 200,
    summary: "Searches again for what was erased, and checks a receipt",
    body: verifyErasureInput,
    run: (services, caller, { params, body }) =>
      verifyErasure(services, caller, params.erasure, body),
  }),
  door({
    action: "find_text",
    method: "POST",
    path: "/v1/find",
    status: 200,
    summary: "Where a text stands as it is, among all that is stored",
    body: findTextInput,
    run: (services, caller, { body }) => findText(services, caller, body),
  }),
];
