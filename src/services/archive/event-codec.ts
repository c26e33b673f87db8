import { z } from "zod";
import { EVENT_STATUSES, type EventBody } from "../../domain/event.js";
import {
  checkEvent,
  checkTimes,
  parseEventFields,
  parseEventKey,
  parseEventValue,
  parseSourceName,
} from "../../domain/event-rules.js";
import { invalid } from "../../domain/fields.js";
import { LIMITS } from "../../domain/limits.js";
import { checkListed } from "../../domain/projection-rules.js";
import type { ArchivedRow } from "../../storage/archive/archived-table.js";
import { EVENT } from "../../storage/archive/event-table.js";
import { type EventStanding, eventKeyMac, eventMac, eventPlace } from "../event-writing.js";
import { named, shaped, text } from "../inputs/parse.js";
import type { Codec } from "./codec.js";

const standingOf = (row: ArchivedRow) =>
  ({
    eventId: row.event_id,
    workspaceId: row.workspace_id,
    sourceRevision: row.source_revision,
    kind: row.kind,
    isWithdrawn: row.is_withdrawn,
    effectiveAt: row.effective_at,
    recordedAt: row.recorded_at,
    expiresAt: row.expires_at,
  }) as EventStanding;

const words = text(LIMITS.eventCharsMax).nullable();
const body = z.strictObject({
  source: named(parseSourceName),
  key: named(parseEventKey),
  status: z.enum(EVENT_STATUSES),
  value: shaped((value, field) => (value === null ? null : parseEventValue(value, field))),
  unit: words,
  conditions: shaped((value, field) => (value === null ? null : parseEventFields(value, field))),
  code: words,
});

export const EVENT_CODEC: Codec = {
  kind: "event",
  table: EVENT,
  places: (row) => ({ body_sealed: eventPlace(standingOf(row)) }),
  contents: { body },
  make: (row, line, { key }) => {
    const { kind, effectiveAt, expiresAt } = standingOf(row);
    const said = line.body as EventBody;
    const people = { speaker: line.speaker, observer: line.observer } as {
      readonly speaker: string | null;
      readonly observer: string | null;
    };
    return {
      key_mac: eventKeyMac(key, said.key),
      content_mac: eventMac(key, { kind, body: said, effectiveAt, expiresAt, ...people }),
    };
  },
  check: (line, { projections }) => {
    const said = line.body as EventBody;
    if (!(line.source as string).startsWith(`${said.source}/`))
      throw invalid("source", "disagrees with the event's source");
    if ((said.status === "withdrawn") !== line.is_withdrawn)
      throw invalid("is_withdrawn", "disagrees with the event's status");
    checkEvent(said);
    // As of when it was recorded: what lay ahead then wouldn't have been taken.
    checkTimes({ effective_at: line.effective_at as Date }, line.recorded_at as Date);
    checkListed(projections, { key: said.key, value: said.value ?? undefined });
  },
};
