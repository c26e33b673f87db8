import { importTurns } from "../services/import-turns.js";
import { auditInput, importInput } from "../services/inputs/pack.js";
import { listRoutesInput, readRouteInput } from "../services/inputs/route.js";
import { startRunInput, takeTurnInput } from "../services/inputs/run.js";
import { putRoute } from "../services/put-route.js";
import { readAudit } from "../services/read-audit.js";
import { listRoutes, readRoute } from "../services/read-route.js";
import { startRun } from "../services/start-run.js";
import { takeTurn } from "../services/take-turn.js";
import { ARCHIVE_OPERATIONS } from "./archive-operations.js";
import { DIMENSION_OPERATIONS } from "./dimension-operations.js";
import { type Door, door } from "./door.js";
import { EPISODIC_OPERATIONS } from "./episodic-operations.js";
import { ERASURE_OPERATIONS } from "./erasure-operations.js";
import { EVIDENCE_OPERATIONS } from "./evidence-operations.js";
import { putRouteBody } from "./route-body.js";
import { RUN_OPERATIONS } from "./run-operations.js";
import { STORE_OPERATIONS } from "./store-operations.js";
import { TOOL_OPERATIONS } from "./tool-operations.js";
import { VIEW_OPERATIONS } from "./view-operations.js";

const ROUTE = "/v1/routes/:route_id";
const SESSION = "/v1/subjects/:subject/sessions/:session";

/** Every operation. The server registers this table, the tests of the doors walk it. */
export const OPERATIONS: readonly Door[] = [
  door({
    action: "put_route",
    method: "PUT",
    path: ROUTE,
    status: 200,
    summary: "Writes a new version of a route row",
    body: putRouteBody,
    run: (services, caller, { params, body }) => putRoute(services, caller, params.route_id, body),
  }),
  door({
    action: "read_route",
    method: "GET",
    path: ROUTE,
    status: 200,
    summary: "A route row, the latest version where none is named",
    query: readRouteInput,
    run: (services, caller, { params, query }) =>
      readRoute(services, caller, params.route_id, query),
  }),
  door({
    action: "list_routes",
    method: "GET",
    path: "/v1/routes",
    status: 200,
    summary: "Latest version of each route",
    query: listRoutesInput,
    run: (services, caller, { query }) => listRoutes(services, caller, query),
  }),
  door({
    action: "start_run",
    method: "POST",
    path: `${SESSION}/runs`,
    status: 201,
    summary: "Decides on the route and pins it to a new run, the session's active one",
    body: startRunInput,
    run: (services, caller, { params, body }) =>
      startRun(services, caller, params.subject, params.session, body),
  }),
  door({
    action: "take_turn",
    method: "POST",
    path: `${SESSION}/turn`,
    status: 200,
    summary: "A turn on the session's active pin; `{}` takes a failed run up again",
    body: takeTurnInput,
    run: (services, caller, { params, body }) =>
      takeTurn(services, caller, params.subject, params.session, body),
  }),
  door({
    action: "import_turns",
    method: "POST",
    path: "/v1/subjects/:subject/import",
    status: 200,
    summary: "Takes in turns of past sessions as evidence, row by row",
    body: importInput,
    run: (services, caller, { params, body }) =>
      importTurns(services, caller, params.subject, body),
  }),
  door({
    action: "read_audit",
    method: "GET",
    path: "/v1/audit",
    status: 200,
    summary: "The tenant's audit trail, newest first",
    query: auditInput,
    run: (services, caller, { query }) => readAudit(services, caller, query),
  }),
  ...STORE_OPERATIONS,
  ...RUN_OPERATIONS,
  ...TOOL_OPERATIONS,
  ...EPISODIC_OPERATIONS,
  ...EVIDENCE_OPERATIONS,
  ...VIEW_OPERATIONS,
  ...DIMENSION_OPERATIONS,
  ...ERASURE_OPERATIONS,
  ...ARCHIVE_OPERATIONS,
];
