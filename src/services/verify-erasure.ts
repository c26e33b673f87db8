import { notFound } from "../domain/errors.js";
import { isUuid } from "../domain/ids.js";
import { type ErasureRow, findErasure } from "../storage/queries/erasure-find.js";
import type { Caller } from "./caller.js";
import { memoryOf, nobody } from "./erasures.js";
import { forgetErased } from "./forget-subject.js";
import { govern } from "./govern.js";
import { verifyErasureInput } from "./inputs/erasure.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply, Operation } from "./operation.js";
import { isSigned } from "./receipts.js";
import { searchErased } from "./search-scope.js";
import type { Services } from "./services.js";
import type { StoreFound } from "./stored-files.js";

export interface VerifyErasureReply {
  /** Nothing is left, and the receipt that was shown is the one that was signed. */
  readonly ok: boolean;
  readonly signature: "valid" | "invalid" | "not_given";
  readonly stores: readonly StoreFound[];
  readonly decision: DecisionReply;
}

/** Searches again for what was erased, and checks a receipt that is shown. */
export function verifyErasure(
  services: Services,
  caller: Caller,
  id: string,
  body: unknown,
): Promise<VerifyErasureReply> {
  return govern(services, caller, "verify_erasure", async (op) => {
    const { receipt } = parseInput(verifyErasureInput, body);
    const erasure = await knownErasure(op, id);
    op.aboutSubject(erasure.subjectId);
    const permit = op.permit(memoryOf(erasure), {});
    const { tenant } = caller.principal;
    // Another process may have erased the person: this one has learned of it now.
    if (erasure.scope === "subject") forgetErased(services, tenant, erasure.subjectId);
    const key = await services.keyring.ledger.key(tenant);
    const { stores } = await services.store.transact(permit, async (tx) => {
      const search = await searchErased(services, tx, permit, erasure);
      await tx.commit([op.audit(permit, { reads: [{ kind: "erasure", ids: [id] }] })]);
      return search;
    });
    const isOwn = receipt?.erasure_id === erasure.erasureId && isSigned(key, receipt);
    const signature = receipt === undefined ? "not_given" : isOwn ? "valid" : "invalid";
    const isClean = erasure.state === "closed" && stores.every(({ found }) => found === 0);
    return { ok: isClean && signature !== "invalid", signature, stores, decision: op.decision() };
  });
}

async function knownErasure(op: Operation<"verify_erasure">, id: string): Promise<ErasureRow> {
  const { services, caller } = op;
  const permit = services.policy.resolvePermit(caller.principal, op.now);
  const [[row]] = isUuid(id)
    ? await services.store.transact(permit, (tx) => tx.commit([findErasure(permit, id)]))
    : [[]];
  if (row !== undefined) return row;
  op.permit(nobody(), {});
  await op.foreign(id);
  throw notFound();
}
