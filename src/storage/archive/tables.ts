import type { ArchivedTable } from "./archived-table.js";
import { EVENT } from "./event-table.js";
import { HOLD } from "./hold-table.js";
import { EPISODE, OBSERVATION, TRACE, TURN } from "./memory-tables.js";
import { CHECKPOINT, ESCALATION, RUN, SESSION, WORKING } from "./run-tables.js";
import { CANDIDATE, FIELD_VALUE, PROMOTION } from "./store-tables.js";

/** A subject's tables in the order in which they travel: what belongs to another comes after it. */
export const SUBJECT_TABLES: readonly ArchivedTable[] = [
  SESSION,
  RUN,
  WORKING,
  CHECKPOINT,
  ESCALATION,
  TURN,
  EVENT,
  EPISODE,
  OBSERVATION,
  TRACE,
  CANDIDATE,
  PROMOTION,
  FIELD_VALUE,
  HOLD,
];
