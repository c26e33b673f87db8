import { MunimentError } from "../domain/errors.js";
import type { Permit } from "../domain/permit.js";
import type { Touched } from "../domain/trace.js";
import type { AskedAction } from "../policy/question.js";
import { type Touch, touchRun } from "../storage/queries/run-touch.js";
import { requireUnforgotten } from "../storage/queries/tombstone-find.js";
import { insertConversation } from "../storage/queries/turn-insert.js";
import { runScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";
import { idleEnd } from "./clocks.js";
import { itemMacs } from "./item-macs.js";
import type { Operation } from "./operation.js";
import type { PinnedRun } from "./pins.js";
import { type TurnToKeep, writeTurns } from "./turn-writing.js";

export interface Said {
  readonly ids: readonly string[];
  /** For the trace; empty where nothing was said. */
  readonly touched: readonly Touched[];
  /** Advances subject and run, and writes what was said. */
  readonly statements: readonly Statement[];
}

export const NOTHING_SAID: Said = { ids: [], touched: [], statements: [] };

/** Behind the write, which holds the subject's row: who forgets something of it was waited for, and is seen. */
async function unforgotten<A extends AskedAction>(
  { services, caller, now }: Operation<A>,
  permit: Permit,
  turns: readonly TurnToKeep[],
): Promise<readonly Statement[]> {
  const place = runScope(permit);
  if (turns.every((turn) => turn.source_id === undefined)) return [];
  const key = await services.keyring.ledger.key(caller.principal.tenant);
  const items = turns.flatMap(({ source_id: source, observed_at: observedAt = now }) =>
    source === undefined
      ? []
      : itemMacs(key, place, { sources: [source] }).map((mac) => ({
          mac: Buffer.from(mac, "base64"),
          observedAt,
        })),
  );
  return [requireUnforgotten(permit, items)];
}

/** The write of a run that may say turns in its session. */
export async function sayTurns<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit,
  { pin, key }: PinnedRun,
  turns: readonly TurnToKeep[],
  expecting: Pick<Touch, "expectedVersion" | "resumeIndex" | "byAgent">,
): Promise<Said> {
  const touch = { pin, expiresAt: idleEnd(pin, op.now), ...expecting };
  if (turns.length === 0)
    return { ...NOTHING_SAID, statements: [touchRun(runScope(permit), touch)] };
  if (pin.route.memory_profile.conversation === "none") {
    throw new MunimentError("mode_none", "the pinned profile keeps no conversation", {
      field: "turns",
    });
  }
  const { services, caller } = op;
  const { evidenceDays } = await services.directory.tenant(caller.principal.claims.tenant);
  const { run, routeId } = pin;
  const scope = runScope(permit);
  // Writers beside this one can make the cache wrong again and again, where their transactions fail.
  const speakers = op.isSecondTry ? null : services.caches.speakers;
  const origin = { scope, key, run, routeId, evidenceDays, conversation: true, speakers };
  const { names, rows, ids } = writeTurns(origin, turns);
  return {
    ids,
    touched: [{ kind: "turn", ids }],
    statements: [
      ...names,
      insertConversation(scope, touch, rows),
      ...(await unforgotten(op, permit, turns)),
    ],
  };
}
