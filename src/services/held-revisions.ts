import { MunimentError } from "../domain/errors.js";
import type { HeldRevision } from "../storage/queries/event-find.js";
import { type AcceptedEvent, type EventReply, refuseEvent } from "./event-rows.js";
import type { EventIdentity } from "./event-writing.js";

export interface AdmittedEvents<E> {
  /** Revisions that nobody has recorded yet, each once. */
  readonly fresh: readonly E[];
  readonly replies: readonly EventReply[];
}

type Known = Pick<HeldRevision, "eventId" | "contentMac">;

/** A revision is recorded once. The same again adds nothing; another content under the same number is refused. */
export function admitEvents<E extends AcceptedEvent & EventIdentity>(
  events: readonly E[],
  held: readonly HeldRevision[],
): AdmittedEvents<E> {
  const known = new Map<string, Known>(held.map((one) => [revisionOf(one), one]));
  const fresh: E[] = [];
  const replies = events.map((event): EventReply => {
    const { index, eventId } = event;
    const before = known.get(revisionOf(event));
    if (before === undefined) {
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

function revisionOf({
  sourceLookup,
  sourceRevision,
}: Pick<HeldRevision, "sourceLookup" | "sourceRevision">): string {
  return `${sourceRevision}/${Buffer.from(sourceLookup).toString("hex")}`;
}
