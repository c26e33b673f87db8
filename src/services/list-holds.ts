import { trustedId } from "../domain/ids.js";
import { listStandingHolds, type StandingHold } from "../storage/queries/hold.js";
import type { Caller } from "./caller.js";
import { makeCursor, readCursor } from "./cursor.js";
import { govern } from "./govern.js";
import { type HoldReply, toHoldReply } from "./holds.js";
import { listHoldsInput } from "./inputs/erasure.js";
import { parseInput } from "./inputs/parse.js";
import { orAlarm } from "./integrity.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";
import { externalPlace } from "./subjects.js";

export interface HeldReply extends HoldReply {
  /** Whose memory it covers, by the application's own id; null where the person isn't there. */
  readonly subject: string | null;
}

export interface ListHoldsReply {
  readonly holds: readonly HeldReply[];
  readonly cursor: string | null;
  readonly decision: DecisionReply;
}

/** Holds that stand, in the order in which they were placed, and whose they are. */
export function listHolds(
  services: Services,
  caller: Caller,
  query: unknown,
): Promise<ListHoldsReply> {
  return govern(services, caller, "list_holds", async (op) => {
    const { limit, cursor } = parseInput(listHoldsInput, query);
    const permit = op.permit({ type: "tenant" }, {});
    const key = await services.keyring.tenantKey(caller.principal.tenant);
    const asked = ["list_holds"];
    const after = readCursor(key, caller.principal, asked, cursor);
    const rows = await services.store.transact(permit, async (tx) => {
      const [found] = await tx.send([listStandingHolds(permit, after, limit)]);
      const ids = found.map(({ holdId }) => holdId);
      await tx.commit([op.audit(permit, { reads: [{ kind: "hold", ids }] })]);
      return found;
    });
    const last = rows.length === limit ? rows.at(-1) : undefined;
    const holds: HeldReply[] = [];
    for (const row of rows)
      holds.push({ ...toHoldReply(row), subject: await personOf(services, row) });
    return {
      holds,
      cursor: last === undefined ? null : makeCursor(key, caller.principal, asked, last.holdId),
      decision: op.decision(),
    };
  });
}

async function personOf(
  { keyring, onAlarm }: Services,
  { tenantId, subjectId, keyId, lookup, sealed }: StandingHold,
): Promise<string | null> {
  if (keyId === null || lookup === null || sealed === null) return null;
  const key = await keyring.subjectKey(trustedId<"TenantId">(tenantId), subjectId, keyId);
  const place = externalPlace("subject", lookup, subjectId);
  return key === null ? null : orAlarm(onAlarm, () => key.open(place, sealed));
}
