import { MunimentError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { HeldRevision } from "../storage/queries/event-find.js";
import { type AcceptedEvent, type EventReply, refuseEvent } from "./event-rows.js";
import type { EventIdentity } from "./event-writing.js";

export interface AdmittedEvents<E> {
  /** Revisions that nobody has recorded yet, each once. */
  readonly fresh: readonly E[];
  readonly replies: readonly EventReply[];
}

type Known = Pick<HeldRevision, "eventId" | "contentMac">;

/** Records of a subject, and which of those that are given are among them. */
export interface HeldRecords {
  readonly records: number;
  readonly known: readonly Uint8Array[];
}

/**
 * A revision is recorded once. The same again adds nothing; another content under the same number is refused. Where the subject
 * has all the records that it may have, a new one is refused: those that it has can always be corrected, or withdrawn.
 */
export function admitEvents<E extends AcceptedEvent & EventIdentity>(
  events: readonly E[],
  held: readonly HeldRevision[],
  { records, known: ofSubject }: HeldRecords,
): AdmittedEvents<E> {
  const own = new Set(ofSubject.map(hex));
  let room = LIMITS.recordsOfSubjectMax - records;
  const known = new Map<string, Known>(held.map((one) => [revisionOf(one), one]));
  const fresh: E[] = [];
  const replies = events.map((event): EventReply => {
    const { index, eventId } = event;
    const before = known.get(revisionOf(event));
    if (before === undefined) {
      const record = hex(event.sourceLookup);
      if (!own.has(record)) {
        if (room <= 0) return refuseEvent(index, full());
        own.add(record);
        room -= 1;
      }
      known.set(revisionOf(event), event);
      fresh.push(event);
      return { index, status: "recorded", event_id: eventId };
    }
    if (Buffer.from(before.contentMac).equals(event.contentMac))
      return { index, status: "unchanged", event_id: before.eventId };
    return refuseEvent(
      index,
      new MunimentError(
        "version_conflict",
        "this revision was recorded with another content: a source that changes something counts its revision up",
        { field: "source_revision" },
      ),
    );
  });
  return { fresh, replies };
}

function full(): MunimentError {
  return new MunimentError(
    "too_large",
    `the subject has ${LIMITS.recordsOfSubjectMax} records, which is all there may be: those can be corrected, but keep a device's stream elsewhere`,
    { field: "source_id" },
  );
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function revisionOf({
  sourceLookup,
  sourceRevision,
}: Pick<HeldRevision, "sourceLookup" | "sourceRevision">): string {
  return `${sourceRevision}/${hex(sourceLookup)}`;
}
