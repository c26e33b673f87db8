import type { SessionId } from "../domain/ids.js";
import type { RecallFilter } from "./indexed-turn.js";
import type { Numbering } from "./numbering.js";

/** Whether a turn of that session (by number) and time is among those that the question itself asks for; null where all are. */
export function narrowing(
  { sessions, observedFrom, observedUntil }: RecallFilter,
  numbering: Numbering<SessionId>,
): ((session: number, observedMs: number) => boolean) | null {
  if (sessions === undefined && observedFrom === undefined && observedUntil === undefined)
    return null;
  const numbers = sessions && new Set(Array.from(sessions, (id) => numbering.find(id)));
  const from = observedFrom?.getTime() ?? Number.NEGATIVE_INFINITY;
  const until = observedUntil?.getTime() ?? Number.POSITIVE_INFINITY;
  return (session, observedMs) =>
    observedMs >= from && observedMs < until && (numbers?.has(session) ?? true);
}
