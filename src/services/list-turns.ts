import { listTurnsBySession } from "../storage/queries/turn-list-by-session.js";
import type { Caller } from "./caller.js";
import { sessionClock } from "./clocks.js";
import { makeCursor, readCursor } from "./cursor.js";
import { govern } from "./govern.js";
import { parseInput } from "./inputs/parse.js";
import { listTurnsInput } from "./inputs/turn.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import type { Services } from "./services.js";
import { type OpenTurn, openTurns } from "./turn-reading.js";

export interface TurnReply {
  readonly turn_id: string;
  readonly seq: number;
  readonly role: string;
  readonly text: string;
  readonly speaker: string | null;
  readonly tool?: string;
  readonly call_id?: string;
  readonly observed_at: string;
  readonly recorded_at: string;
  readonly source: { readonly run_id: string; readonly route_id: string };
}

export interface ListTurnsReply {
  readonly turns: readonly TurnReply[];
  /** For the next, older page; null at the end. */
  readonly cursor: string | null;
  readonly decision: DecisionReply;
}

/** Turns of the run's session as conversation, newest first. A page may cut between a tool call and its result; a pack never does. */
export function listTurns(
  services: Services,
  caller: Caller,
  run: string,
  query: unknown,
): Promise<ListTurnsReply> {
  return govern(services, caller, "list_turns", async (op) => {
    const input = parseInput(listTurnsInput, query);
    const { pin, key } = await pinOf(op, run);
    const permit = op.permit({ type: "run", pin }, {});
    const before = readCursor(key, caller.principal, ["list_turns", run], input.cursor);
    const rows = await services.store.transact(permit, async (tx) => {
      const [found] = await tx.send([
        listTurnsBySession(permit, input.limit, before === null ? null : Number(before)),
      ]);
      await tx.commit([
        op.audit(permit, {
          reads: [{ kind: "turn", ids: found.map((row) => row.turnId) }],
          ttl: sessionClock(pin, found[0]?.expiresAt ?? null),
        }),
      ]);
      return found;
    });
    const last = rows.length === input.limit ? rows.at(-1) : undefined;
    return {
      turns: openTurns(rows, key, services.onAlarm).map(toReply),
      cursor:
        last === undefined
          ? null
          : makeCursor(key, caller.principal, ["list_turns", run], String(last.seq)),
      decision: op.decision(),
    };
  });
}

function toReply({ row, content, speaker }: OpenTurn): TurnReply {
  return {
    turn_id: row.turnId,
    seq: row.seq,
    role: row.role,
    ...content,
    speaker,
    observed_at: row.observedAt.toISOString(),
    recorded_at: row.recordedAt.toISOString(),
    source: { run_id: row.runId, route_id: row.routeId },
  };
}
