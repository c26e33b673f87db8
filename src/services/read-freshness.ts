import { LIMITS } from "../domain/limits.js";
import type { WorkState } from "../domain/work.js";
import {
  findModelFreshness,
  listSessionFreshness,
  type SessionFreshness,
} from "../storage/queries/freshness-list.js";
import { countPending, type Pending } from "../storage/queries/pending-count.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import { orAlarm } from "./integrity.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";
import { storeOf } from "./stores.js";
import { externalPlace, type KnownSubject } from "./subjects.js";

export interface SessionFreshnessReply {
  /** The application's own id of it. */
  readonly session: string;
  readonly session_id: string;
  /** When the conversation was closed. */
  readonly ended_at: string | null;
  /** When what it says was kept as observations. */
  readonly processed_at: string | null;
  /** Of its observation; null where none is under way. */
  readonly state: WorkState | null;
  /** How many observations are kept of it. */
  readonly observations: number;
}

export interface ReadFreshnessReply {
  /** Newest first. */
  readonly sessions: readonly SessionFreshnessReply[];
  /** When the person's model was made last. */
  readonly consolidated_at: string | null;
  /** Of its consolidation; null where none is under way. */
  readonly state: WorkState | null;
  /** When a pack last held a part of the model. */
  readonly served_at: string | null;
  /** Evidence that the model doesn't know yet. */
  readonly pending: Pending;
  readonly decision: DecisionReply;
}

/** How old what is known of a person is: when each conversation ended, when it was processed, and when the outcome was served. */
export function readFreshness(
  services: Services,
  caller: Caller,
  subjectId: string,
): Promise<ReadFreshnessReply> {
  return govern(services, caller, "read_freshness", async (op) => {
    const { subject, resource } = await storeOf(op, subjectId);
    const permit = op.permit(resource, {});
    return await services.store.transact(permit, async (tx) => {
      const [rows, [model], [pending = { sessions: 0, observations: 0 }]] = await tx.send([
        listSessionFreshness(permit, LIMITS.pageRowsMax),
        findModelFreshness(permit),
        countPending(permit),
      ]);
      const ids = rows.map(({ sessionId }) => sessionId);
      await tx.commit([op.audit(permit, { reads: [{ kind: "session", ids }] })]);
      return {
        sessions: rows.flatMap((row) => toReply(services, subject, row)),
        consolidated_at: model?.consolidatedAt?.toISOString() ?? null,
        state: underWay(model?.state ?? null),
        served_at: model?.servedAt?.toISOString() ?? null,
        pending,
        decision: op.decision(),
      };
    });
  });
}

/** A session whose name doesn't open in its place is left out and reported. */
function toReply(
  { onAlarm }: Services,
  { key }: KnownSubject,
  { sessionId, lookup, sealed, endedAt, processedAt, state, observations }: SessionFreshness,
): readonly SessionFreshnessReply[] {
  const place = externalPlace("session", lookup, sessionId);
  const session = orAlarm(onAlarm, () => key.open(place, sealed));
  if (session === null) return [];
  return [
    {
      session,
      session_id: sessionId,
      ended_at: endedAt?.toISOString() ?? null,
      processed_at: processedAt?.toISOString() ?? null,
      state: underWay(state),
      observations,
    },
  ];
}

/** What is done has its time, and its job's row doesn't stay. */
function underWay(state: WorkState | null): WorkState | null {
  return state === "done" ? null : state;
}
