import type { NarrowScope } from "../domain/erasure.js";
import { notFound } from "../domain/errors.js";
import type { Permit } from "../domain/permit.js";
import { type ErasureRow, findErasureOfTarget } from "../storage/queries/erasure-find.js";
import type { Transaction } from "../storage/store.js";
import { macOfNamed } from "./narrow-targets.js";
import type { Operation } from "./operation.js";
import type { KnownSubject } from "./subjects.js";

interface Gone {
  readonly scope: NarrowScope;
  readonly named: string;
  /** Our own id of it, as far as something still knows that. */
  readonly target: string | null;
}

/** The erasure that took what isn't there any more. Throws `not_found` where there was none. */
export async function takenBefore(
  op: Operation<"erase_scope">,
  tx: Transaction,
  permit: Permit<"erase_scope">,
  known: KnownSubject,
  { scope, named, target }: Gone,
): Promise<ErasureRow> {
  const { services, caller } = op;
  const itemMac = await macOfNamed(services, caller.principal, known, scope, named);
  const [[before]] = await tx.send([findErasureOfTarget(permit, { scope, target, itemMac })]);
  if (before === undefined) {
    await op.foreign(named);
    throw notFound();
  }
  await tx.commit([op.audit(permit, { reads: [{ kind: "erasure", ids: [before.erasureId] }] })]);
  return before;
}
