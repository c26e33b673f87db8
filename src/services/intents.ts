import type { TenantId } from "../domain/ids.js";
import type { LedgerEntry, LedgerLine } from "../domain/ledger.js";
import { LIMITS } from "../domain/limits.js";
import type { Erasure } from "./erasures.js";
import type { Services } from "./services.js";

/** By what is recognised that comes again, base64: `ahead` is of what claimed a time after it was forgotten. */
export interface Recognised {
  readonly items: readonly string[];
  readonly ahead: readonly string[];
}

export const NOTHING: Recognised = { items: [], ahead: [] };

/** A line of the ledger about it. */
export function lineOf(
  erasure: Erasure,
  step: "intent" | "closed",
  at: Date,
  { items, ahead }: Recognised = NOTHING,
): LedgerLine {
  const { erasureId, keyId, subjectMac, reason, basis, scope, target, subjectId } = erasure;
  return {
    step,
    erasureId,
    reason,
    basis,
    scope,
    target,
    subject: subjectId,
    keyId,
    subjectMac,
    itemMacs: items,
    aheadMacs: ahead,
    at,
  };
}

/** Makes the intent durable in the ledger, in as many lines as what it is recognised by needs; one at least. */
export async function appendIntent(
  { keyring }: Services,
  tenant: TenantId,
  erasure: Erasure,
  { items, ahead }: Recognised = NOTHING,
): Promise<readonly LedgerEntry[]> {
  const macs = [
    ...items.map((mac) => ({ mac, isAhead: false })),
    ...ahead.map((mac) => ({ mac, isAhead: true })),
  ];
  const max = LIMITS.ledgerMacsMax;
  const lines = Array.from({ length: Math.max(1, Math.ceil(macs.length / max)) }, (_, place) => {
    const own = macs.slice(place * max, (place + 1) * max);
    const macsWhere = (ahead: boolean) =>
      own.filter(({ isAhead }) => isAhead === ahead).map(({ mac }) => mac);
    const recognised = { items: macsWhere(false), ahead: macsWhere(true) };
    return lineOf(erasure, "intent", erasure.requestedAt, recognised);
  });
  const entries: LedgerEntry[] = [];
  for (let from = 0; from < lines.length; from += LIMITS.ledgerLinesMax) {
    const part = lines.slice(from, from + LIMITS.ledgerLinesMax);
    entries.push(...(await keyring.ledger.append(tenant, part)));
  }
  return entries;
}
