import { eraseSubject } from "../services/erase-subject.js";
import { eraseSubjectInput } from "../services/inputs/erasure.js";
import { readErasure } from "../services/read-erasure.js";
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
];
