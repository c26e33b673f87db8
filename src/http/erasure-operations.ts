import { eraseSubject } from "../services/erase-subject.js";
import { findText } from "../services/find-text.js";
import {
  eraseSubjectInput,
  findTextInput,
  verifyErasureInput,
} from "../services/inputs/erasure.js";
import { readErasure } from "../services/read-erasure.js";
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
