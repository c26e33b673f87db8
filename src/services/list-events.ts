import type { EventBody, EventKind } from "../domain/event.js";
import type { SubjectKey } from "../domain/keyring.js";
import { type ListedEvent, listEvents as listRows } from "../storage/queries/event-find.js";
import type { ExternalKind } from "../storage/queries/external-id-insert.js";
import type { Caller } from "./caller.js";
import { makeCursor, readCursor } from "./cursor.js";
import { eventKeyMac, openEvent } from "./event-writing.js";
import { govern } from "./govern.js";
import { listEventsInput } from "./inputs/event.js";
import { parseInput } from "./inputs/parse.js";
import { orAlarm } from "./integrity.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";
import { storeOf } from "./stores.js";
import { externalPlace } from "./subjects.js";

export interface ListedEventReply extends EventBody {
  readonly event_id: string;
  readonly source_id: string | null;
  readonly source_revision: number;
  readonly kind: EventKind;
  /** False where the source has said something later of the same record. */
  readonly is_current: boolean;
  readonly effective_at: string;
  readonly recorded_at: string;
  readonly expires_at: string | null;
  readonly speaker: string | null;
  readonly observer: string | null;
}

export interface ListEventsReply {
  readonly events: readonly ListedEventReply[];
  readonly cursor: string | null;
  readonly decision: DecisionReply;
}

/** What connectors have said of a person, history included, newest first. */
export function listEvents(
  services: Services,
  caller: Caller,
  subjectId: string,
  query: unknown,
): Promise<ListEventsReply> {
  return govern(services, caller, "list_events", async (op) => {
    const { key: eventKey, limit, cursor } = parseInput(listEventsInput, query);
    const { subject, resource } = await storeOf(op, subjectId);
    const permit = op.permit(resource, {});
    const { key } = subject;
    const list = ["list_events", resource.subject, eventKey ?? null];
    const position = readCursor(key, caller.principal, list, cursor);
    const rows = await services.store.transact(permit, async (tx) => {
      const keyMac = eventKey === undefined ? null : eventKeyMac(key, eventKey);
      const [found] = await tx.send([
        listRows(permit, { keyMac, before: placeIn(position), limit }),
      ]);
      const ids = found.map(({ eventId }) => eventId);
      await tx.commit([op.audit(permit, { reads: [{ kind: "event", ids }] })]);
      return found;
    });
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      events: rows.flatMap((row) => toReply(services, key, row) ?? []),
      cursor:
        last === undefined
          ? null
          : makeCursor(key, caller.principal, list, `${last.revision}/${last.eventId}`),
      decision: op.decision(),
    };
  });
}

function placeIn(position: string | null) {
  if (position === null) return null;
  const [revision, eventId = ""] = position.split("/");
  return { revision: Number(revision), eventId };
}

/** One that doesn't open in its place isn't shown. */
function toReply(services: Services, key: SubjectKey, row: ListedEvent): ListedEventReply | null {
  const body = orAlarm(services.onAlarm, () => openEvent(key, row));
  if (body === null) return null;
  const nameOf = (
    kind: ExternalKind,
    id: string | null,
    lookup: Uint8Array | null,
    sealed: Uint8Array | null,
  ) =>
    id === null || lookup === null || sealed === null
      ? null
      : orAlarm(services.onAlarm, () => key.open(externalPlace(kind, lookup, id), sealed));
  const record = nameOf("source", row.recordId, row.sourceLookup, row.sourceSealed);
  return {
    event_id: row.eventId,
    ...body,
    source_id: record?.slice(body.source.length + 1) ?? null,
    source_revision: row.sourceRevision,
    kind: row.kind,
    is_current: row.isCurrent,
    effective_at: row.effectiveAt.toISOString(),
    recorded_at: row.recordedAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
    speaker: nameOf("speaker", row.speakerId, row.speakerLookup, row.speakerSealed),
    observer: nameOf("speaker", row.observerId, row.observerLookup, row.observerSealed),
  };
}
