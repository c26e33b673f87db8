import type { Erasure } from "../domain/erasure.js";
import type { TenantId } from "../domain/ids.js";
import type { ForgottenRequest, LedgerEntry, LedgerLine } from "../domain/ledger.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import { listRequestMacs } from "../storage/queries/idempotency-list.js";
import type { Transaction } from "../storage/store.js";
import { macText } from "./item-macs.js";
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
  {
    items = [],
    ahead = [],
    requests = [],
  }: Partial<Recognised> & { readonly requests?: readonly ForgottenRequest[] } = {},
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
    requests,
    keyVersion: null,
    at,
  };
}

/**
 * Makes the intent durable in the ledger, in as many lines as what it is recognised by needs, and the requests whose replies go
 * along; one at least.
 */
export async function appendIntent(
  { keyring }: Services,
  tenant: TenantId,
  erasure: Erasure,
  { items, ahead }: Recognised,
  requests: readonly ForgottenRequest[],
): Promise<readonly LedgerEntry[]> {
  const marks = [
    ...items.map((mac) => ({ items: [mac] })),
    ...ahead.map((mac) => ({ ahead: [mac] })),
    ...requests.map((request) => ({ requests: [request] })),
  ] as const;
  const max = LIMITS.ledgerMacsMax;
  const lines = Array.from({ length: Math.max(1, Math.ceil(marks.length / max)) }, (_, place) => {
    const own = marks.slice(place * max, (place + 1) * max);
    return lineOf(erasure, "intent", erasure.requestedAt, {
      items: own.flatMap((mark) => ("items" in mark ? mark.items : [])),
      ahead: own.flatMap((mark) => ("ahead" in mark ? mark.ahead : [])),
      requests: own.flatMap((mark) => ("requests" in mark ? mark.requests : [])),
    });
  });
  const entries: LedgerEntry[] = [];
  for (let from = 0; from < lines.length; from += LIMITS.ledgerLinesMax) {
    const part = lines.slice(from, from + LIMITS.ledgerLinesMax);
    entries.push(...(await keyring.ledger.append(tenant, part)));
  }
  return entries;
}

/** Requests whose kept replies go with the subject, or with something of it. */
export async function requestsOf(
  tx: Transaction,
  permit: Permit,
): Promise<readonly ForgottenRequest[]> {
  const [rows] = await tx.send([listRequestMacs(permit)]);
  return rows.map(({ mac, until }) => ({ mac: macText(mac), until }));
}
