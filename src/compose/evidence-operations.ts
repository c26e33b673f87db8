import type { EventsQuery, RecordEventsBody } from "../services/event-bodies.js";
import type { ListEventsReply } from "../services/list-events.js";
import type { RecordEventsReply } from "../services/record-events.js";

/** What is done with what connectors say. */
export interface EvidenceOperations {
  /** Takes in what a connector's sources say of a person. The same revision again adds nothing. */
  recordEvents(subject: string, body: RecordEventsBody): Promise<RecordEventsReply>;
  /** What connectors have said of a person, history included, newest first. */
  listEvents(subject: string, query: EventsQuery): Promise<ListEventsReply>;
}
