import { listEventsInput, recordEventsInput } from "../services/inputs/event.js";
import { listEvents } from "../services/list-events.js";
import { recordEvents } from "../services/record-events.js";
import { type Door, door } from "./door.js";

const EVENTS = "/v1/subjects/:subject/events";

/** What is done with what connectors say. */
export const EVIDENCE_OPERATIONS: readonly Door[] = [
  door({
    action: "record_events",
    method: "POST",
    path: EVENTS,
    status: 200,
    summary: "Takes in what a connector's sources say of the subject, one by one",
    body: recordEventsInput,
    run: (services, caller, { params, body }) =>
      recordEvents(services, caller, params.subject, body),
  }),
  door({
    action: "list_events",
    method: "GET",
    path: EVENTS,
    status: 200,
    summary: "What connectors have said of the subject, history included, newest first",
    query: listEventsInput,
    run: (services, caller, { params, query }) =>
      listEvents(services, caller, params.subject, query),
  }),
];
