import { configure } from "safe-stable-stringify";
import { must } from "../domain/errors.js";
import type { EventBody, EventKind } from "../domain/event.js";
import { type EventId, trustedId, type WorkspaceId } from "../domain/ids.js";
import type { Place, SubjectKey } from "../domain/keyring.js";
import type { Permit } from "../domain/permit.js";
import type { EventRow } from "../storage/queries/event-find.js";
import type { NewEvent } from "../storage/queries/event-insert.js";
import type { NewExternalId } from "../storage/queries/external-id-insert.js";
import type { EventInput } from "./inputs/event.js";
import { macUuid } from "./mac-uuid.js";
import { externalLookup, type KnownSubject, sealExternalId, withinWorkspace } from "./subjects.js";

const canonical = configure({ bigint: false });

/** What of an event's row never changes, and decides what is read out of its body. */
export type EventStanding = Pick<
  EventRow,
  | "eventId"
  | "workspaceId"
  | "sourceRevision"
  | "kind"
  | "isWithdrawn"
  | "effectiveAt"
  | "recordedAt"
  | "expiresAt"
>;

export function eventPlace(standing: EventStanding): Place {
  const { workspaceId, sourceRevision, kind, isWithdrawn, effectiveAt, expiresAt } = standing;
  const within = [workspaceId, sourceRevision, kind, isWithdrawn, effectiveAt, expiresAt];
  return {
    table: "event",
    column: "body_sealed",
    row: standing.eventId,
    within: JSON.stringify([...within, standing.recordedAt]),
    version: 1,
  };
}

/** The name of a source's record, by which it is also forgotten. No system's name has a slash. */
export function recordName({ source, source_id }: Pick<EventInput, "source" | "source_id">) {
  return `${source}/${source_id}`;
}

/** A key under the subject's own key: that somebody has an allergy is nobody else's to compare. */
export function eventKeyMac(key: SubjectKey, eventKey: string): Uint8Array {
  return key.mac("event key", eventKey);
}

/** All that a source says in one revision: two that agree in it say the same. */
interface EventContent {
  readonly kind: EventKind;
  readonly body: EventBody;
  readonly effectiveAt: Date;
  readonly expiresAt: Date | null;
  readonly speaker: string | null;
  readonly observer: string | null;
}

export function eventMac(key: SubjectKey, content: EventContent): Uint8Array {
  return key.mac("event", must(canonical(content), "event"));
}

export function bodyOf(event: EventInput): EventBody {
  const { source, key, status, value, unit, conditions, code } = event;
  return {
    source,
    key,
    status,
    value: value ?? null,
    unit: unit ?? null,
    conditions: conditions ?? null,
    code: code ?? null,
  };
}

export function openEvent(key: SubjectKey, row: EventRow): EventBody {
  return JSON.parse(key.open(eventPlace(row), row.bodySealed)) as EventBody;
}

/** By what a revision is recognised when it comes again. */
export interface EventIdentity {
  readonly eventId: EventId;
  readonly sourceLookup: Uint8Array;
  readonly sourceRevision: number;
  readonly contentMac: Uint8Array;
}

/** The same revision of the same record has one id in its workspace, in whatever order things come. */
export function identifyEvent(
  key: SubjectKey,
  workspace: WorkspaceId,
  event: EventInput,
): EventIdentity {
  const name = recordName(event);
  const revision = withinWorkspace(workspace, `${event.source_revision}/${name}`);
  return {
    eventId: trustedId<"EventId">(macUuid(key.mac("event id", revision))),
    sourceLookup: externalLookup(key, workspace, "source", name),
    sourceRevision: event.source_revision,
    contentMac: eventMac(key, {
      kind: event.kind,
      body: bodyOf(event),
      effectiveAt: event.effective_at,
      expiresAt: event.expires_at ?? null,
      speaker: event.speaker ?? null,
      observer: event.observer ?? null,
    }),
  };
}

export interface IdentifiedEvent extends EventIdentity {
  readonly event: EventInput;
}

/** Rows of events, with the external ids of their records and people. */
export function writeEvents(
  subject: KnownSubject,
  { scope: { workspace, now } }: Permit,
  events: readonly IdentifiedEvent[],
): { readonly rows: readonly NewEvent[]; readonly names: readonly NewExternalId[] } {
  const { key } = subject;
  const names = new Map<string, NewExternalId>();
  const nameOf = (kind: "source" | "speaker", id: string | undefined): Uint8Array | null => {
    if (id === undefined) return null;
    const known = names.get(`${kind}/${id}`);
    if (known !== undefined) return known.lookup;
    const lookup = externalLookup(key, workspace, kind, id);
    names.set(`${kind}/${id}`, sealExternalId(subject, kind, lookup, id));
    return lookup;
  };
  const rows = events.map(({ event, ...identity }): NewEvent => {
    nameOf("source", recordName(event));
    const standing = {
      eventId: identity.eventId,
      workspaceId: workspace,
      sourceRevision: identity.sourceRevision,
      kind: event.kind,
      isWithdrawn: event.status === "withdrawn",
      effectiveAt: event.effective_at,
      recordedAt: now,
      expiresAt: event.expires_at ?? null,
    };
    return {
      ...standing,
      ...identity,
      keyMac: eventKeyMac(key, event.key),
      speakerLookup: nameOf("speaker", event.speaker),
      observerLookup: nameOf("speaker", event.observer),
      bodySealed: key.seal(eventPlace(standing), JSON.stringify(bodyOf(event))),
    };
  });
  return { rows, names: [...names.values()] };
}
