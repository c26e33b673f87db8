import { notFound } from "../domain/errors.js";
import { isUuid, type PackId, trustedId } from "../domain/ids.js";
import type { AskedAction } from "../policy/question.js";
import { findPackRun } from "../storage/queries/pack-find.js";
import type { Operation } from "./operation.js";
import { type PinnedRun, pinOf } from "./pins.js";

/** The pinned run of a pack, by the pack's id as it came from outside. */
export async function runOfPack<A extends AskedAction>(
  op: Operation<A>,
  packId: string,
): Promise<PinnedRun & { readonly pack: PackId }> {
  const { services, caller } = op;
  if (!isUuid(packId)) return await foreignPack(op, packId);
  const pack = trustedId<"PackId">(packId);
  const permit = services.policy.resolvePermit(caller.principal, op.now);
  const [[row]] = await services.store.transact(permit, (tx) =>
    tx.commit([findPackRun(permit, pack)]),
  );
  if (row === undefined) return await foreignPack(op, packId);
  return { ...(await pinOf(op, row.runId)), pack };
}

async function foreignPack<A extends AskedAction>(
  op: Operation<A>,
  packId: string,
): Promise<never> {
  await op.foreign(packId);
  throw notFound();
}
