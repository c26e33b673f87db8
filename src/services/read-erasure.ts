import { notFound } from "../domain/errors.js";
import { isUuid } from "../domain/ids.js";
import { type ErasureRow, findErasure } from "../storage/queries/erasure-find.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import type { DecisionReply, Operation } from "./operation.js";
import type { Receipt } from "./receipts.js";
import type { Services } from "./services.js";

export interface ReadErasureReply {
  readonly erasure_id: string;
  /** `blocked`: its rows are gone, and nothing of it can be read; key or receipt are still due. */
  readonly state: "open" | "blocked" | "closed";
  readonly reason: string;
  readonly basis: string;
  readonly scope: string;
  readonly requested_at: string;
  readonly blocked_at: string | null;
  readonly closed_at: string | null;
  readonly receipt: Receipt | null;
  readonly decision: DecisionReply;
}

/** How far an erasure is, with its receipt where it is closed. Names nobody. */
export function readErasure(
  services: Services,
  caller: Caller,
  id: string,
): Promise<ReadErasureReply> {
  return govern(services, caller, "read_erasure", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    const row = isUuid(id)
      ? await services.store.transact(permit, async (tx) => {
          const [[found]] = await tx.send([findErasure(permit, id)]);
          if (found !== undefined)
            await tx.commit([op.audit(permit, { reads: [{ kind: "erasure", ids: [id] }] })]);
          return found;
        })
      : undefined;
    if (row === undefined) return await unknown(op, id);
    return { ...view(row), decision: op.decision() };
  });
}

async function unknown(op: Operation<"read_erasure">, id: string): Promise<never> {
  await op.foreign(id);
  throw notFound();
}

function view(row: ErasureRow) {
  return {
    erasure_id: row.erasureId,
    state: row.state,
    reason: row.reason,
    basis: row.basis,
    scope: row.scope,
    requested_at: row.requestedAt.toISOString(),
    blocked_at: row.blockedAt?.toISOString() ?? null,
    closed_at: row.closedAt?.toISOString() ?? null,
    receipt: row.receipt as Receipt | null,
  };
}
