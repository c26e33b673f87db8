import { readFreshness } from "../services/read-freshness.js";
import { readView } from "../services/read-view.js";
import { type Door, door } from "./door.js";

const SUBJECT = "/v1/subjects/:subject";

/** What is derived of a person, and how old it is. */
export const VIEW_OPERATIONS: readonly Door[] = [
  door({
    action: "read_view",
    method: "GET",
    path: `${SUBJECT}/views/:view`,
    status: 200,
    summary: "A view of the person: `user_model`, `fold`, or a projection of connectors' records",
    run: (services, caller, { params }) => readView(services, caller, params.subject, params.view),
  }),
  door({
    action: "read_freshness",
    method: "GET",
    path: `${SUBJECT}/freshness`,
    status: 200,
    summary: "When conversations ended, were processed, and were served",
    run: (services, caller, { params }) => readFreshness(services, caller, params.subject),
  }),
];
