import type { ErasureScopeKind } from "../domain/erasure.js";
import { MunimentError } from "../domain/errors.js";
import type { SubjectId } from "../domain/ids.js";
import { type LedgerEntry, NO_HEAD } from "../domain/ledger.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import { findErasure } from "../storage/queries/erasure-find.js";
import { readLedgerHead } from "../storage/queries/ledger-head.js";
import { subjectScope } from "../storage/scope.js";
import type { Transaction } from "../storage/store.js";
import type { Services } from "./services.js";

/**
 * Intents about a subject that stand in the ledger, and whose rows haven't gone: erasures that were broken off. Under the
 * subject's lock, so that none of them is under way.
 */
export async function openIntents(
  { keyring: { ledger } }: Services,
  tx: Transaction,
  permit: Permit,
  subject: SubjectId,
): Promise<readonly LedgerEntry[]> {
  const { tenant } = permit.scope;
  const [[followed]] = await tx.send([readLedgerHead(permit)]);
  const intents: LedgerEntry[] = [];
  for (let { seq } = followed ?? NO_HEAD; ; ) {
    const lines = await ledger.read(tenant, seq, LIMITS.ledgerRowsMax);
    intents.push(...lines.filter((line) => line.step === "intent" && line.subject === subject));
    const last = lines.at(-1);
    if (last === undefined || lines.length < LIMITS.ledgerRowsMax) break;
    seq = last.seq;
  }
  if (intents.length === 0) return intents;
  const found = await tx.send(intents.map(({ erasureId }) => findErasure(permit, erasureId)));
  return intents.filter((_, place) => found[place]?.[0] === undefined);
}

/** What the ledger says is done whatever comes after it: no hold says otherwise. */
export async function refuseBegun(
  services: Services,
  tx: Transaction,
  permit: Permit,
): Promise<void> {
  const { subject } = subjectScope(permit);
  if ((await openIntents(services, tx, permit, subject)).length === 0) return;
  throw new MunimentError(
    "unavailable",
    "an erasure of this person was broken off, and is finished first: try again later",
  );
}

/** What holds turns of its own. */
const WIDE: readonly ErasureScopeKind[] = ["session", "run", "source"];

/** A correction of what an erasure that was broken off is going to take would be lost with it. */
export function refuseDoomed(
  open: readonly LedgerEntry[],
  { scope, target, reason }: Pick<LedgerEntry, "scope" | "target" | "reason">,
): void {
  const others = open.filter((line) => line.target !== target || line.reason !== reason);
  const takes = (line: LedgerEntry) =>
    line.target === target || (scope !== "field" && WIDE.includes(line.scope));
  if (!others.some(takes)) return;
  throw new MunimentError(
    "unavailable",
    "an erasure that may take it was broken off, and is finished first: try again later",
  );
}
