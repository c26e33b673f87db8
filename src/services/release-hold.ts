import { must, notFound } from "../domain/errors.js";
import { isUuid } from "../domain/ids.js";
import { findHold, type HoldRow, releaseHold as release } from "../storage/queries/hold.js";
import { followLedger } from "../storage/queries/ledger-head.js";
import { lockSubject } from "../storage/queries/subject-end.js";
import type { Caller } from "./caller.js";
import { memoryOf, nobody } from "./erasures.js";
import { govern } from "./govern.js";
import { type HoldReply, holdLine, toHoldReply } from "./holds.js";
import type { DecisionReply, Operation } from "./operation.js";
import type { Services } from "./services.js";

export interface ReleaseHoldReply extends HoldReply {
  readonly decision: DecisionReply;
}

/** Ends a hold: what it covered may be forgotten again. Released again, it answers with when it was. */
export function releaseHold(
  services: Services,
  caller: Caller,
  id: string,
): Promise<ReleaseHoldReply> {
  return govern(services, caller, "release_hold", async (op) => {
    const known = await knownHold(op, id);
    op.aboutSubject(known.subjectId);
    const permit = op.permit(memoryOf({ subjectId: known.subjectId, keyId: null }), {});
    const { tenant, ref } = caller.principal;
    const { holdId } = known;
    const hold = await services.store.transact(permit, async (tx) => {
      await tx.send([lockSubject(permit)]);
      const [[row]] = await tx.send([findHold(permit, id)]);
      const standing = must(row, "hold");
      const touched = [{ kind: "hold", ids: [holdId] }];
      if (standing.releasedAt !== null) {
        await tx.commit([op.audit(permit, { reads: touched })]);
        return standing;
      }
      const line = holdLine(standing, "release", op.now);
      const [entry] = await services.keyring.ledger.append(tenant, [line]);
      await tx.commit([
        release(permit, holdId, { at: op.now, by: ref }),
        followLedger(permit, must(entry, "line of the ledger")),
        op.audit(permit, { writes: touched }),
      ]);
      return { ...standing, releasedAt: op.now };
    });
    return { ...toHoldReply(hold), decision: op.decision() };
  });
}

async function knownHold(op: Operation<"release_hold">, id: string): Promise<HoldRow> {
  const { services, caller } = op;
  const permit = services.policy.resolvePermit(caller.principal, op.now);
  const [[row]] = isUuid(id)
    ? await services.store.transact(permit, (tx) => tx.commit([findHold(permit, id)]))
    : [[]];
  if (row !== undefined) return row;
  op.permit(nobody(), {});
  await op.foreign(id);
  throw notFound();
}
