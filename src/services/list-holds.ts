import { listStandingHolds } from "../storage/queries/hold.js";
import type { Caller } from "./caller.js";
import { makeCursor, readCursor } from "./cursor.js";
import { govern } from "./govern.js";
import { type HoldReply, toHoldReply } from "./holds.js";
import { listHoldsInput } from "./inputs/erasure.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";

export interface ListHoldsReply {
  readonly holds: readonly HoldReply[];
  readonly cursor: string | null;
  readonly decision: DecisionReply;
}

/** Holds that stand, in the order in which they were placed. Internal ids alone. */
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
    return {
      holds: rows.map(toHoldReply),
      cursor: last === undefined ? null : makeCursor(key, caller.principal, asked, last.holdId),
      decision: op.decision(),
    };
  });
}
