import type { NarrowScope } from "../domain/erasure.js";
import type { FieldId, WorkspaceId } from "../domain/ids.js";
import type { LedgerEntry, LedgerKey } from "../domain/ledger.js";
import type { Permit } from "../domain/permit.js";
import type { TurnContent } from "../domain/turn.js";
import { Unmet } from "../domain/unmet.js";
import type { AskedAction } from "../policy/question.js";
import { insertErasure } from "../storage/queries/erasure-insert.js";
import { requireUnheld } from "../storage/queries/hold.js";
import { followLedger } from "../storage/queries/ledger-head.js";
import { requireKnownSchema } from "../storage/queries/migration-require.js";
import { purgeSubject } from "../storage/queries/reach-delete-whole.js";
import { lockSubject } from "../storage/queries/subject-end.js";
import { readSubject } from "../storage/queries/subject-read.js";
import { insertTombstones } from "../storage/queries/tombstone-insert.js";
import type { Statement } from "../storage/sql.js";
import type { Transaction } from "../storage/store.js";
import { type Erasure, writesOf } from "./erasures.js";
import { forgetReach } from "./forget-reach.js";
import { orAlarm } from "./integrity.js";
import { itemMacs } from "./item-macs.js";
import type { Operation } from "./operation.js";
import { coveredBy, type Reached, reachOf } from "./reach.js";
import type { Services } from "./services.js";
import { externalPlace, type KnownSubject } from "./subjects.js";
import { turnPlace } from "./turn-writing.js";

/** Waits for whoever writes about the subject, and makes those wait who come. Refuses one that has ended meanwhile. */
export async function lockLive(tx: Transaction, permit: Permit): Promise<void> {
  await tx.send([lockSubject(permit)]);
  const [[live]] = await tx.send([readSubject(permit)]);
  if (live === undefined) throw new Unmet("subject_gone");
}

/** What hangs on the target, where no hold covers any of it. Under the lock. */
export async function unheldReach(
  tx: Transaction,
  permit: Permit,
  scope: NarrowScope,
  target: string,
): Promise<Reached> {
  const reach = await reachOf(tx, permit, scope, target);
  await tx.send([requireKnownSchema(), requireUnheld(permit, coveredBy(reach))]);
  return reach;
}

/** By what the forgotten is recognised when it comes again. Nothing where its reason lets it come again. */
export function macsOf(
  services: Services,
  ledgerKey: LedgerKey,
  { subject, key }: KnownSubject,
  workspace: WorkspaceId,
  { reason, scope }: Pick<Erasure, "reason" | "scope">,
  reach: Reached,
  externalId: string | null,
): readonly string[] {
  if (reason === "expire" || reason === "policy") return [];
  const { onAlarm } = services;
  const place = { subject, workspace };
  const contents = reach.rows.flatMap((row) => {
    const content = orAlarm(onAlarm, () => key.open(turnPlace(row), row.contentSealed));
    return content === null ? [] : [(JSON.parse(content) as TurnContent).text];
  });
  if (reason === "correct") return itemMacs(ledgerKey, place, { contents });
  const said = reach.rows.flatMap(({ sourceId, sourceLookup, sourceSealed }) => {
    if (sourceId === null || sourceLookup === null || sourceSealed === null) return [];
    const mapping = externalPlace("source", sourceLookup, sourceId);
    const id = orAlarm(onAlarm, () => key.open(mapping, sourceSealed));
    return id === null ? [] : [id];
  });
  const sources = scope === "source" && externalId !== null ? [...said, externalId] : said;
  // What one source withdraws, another may still say.
  if (reason === "retract") return itemMacs(ledgerKey, place, { sources });
  const sessions = scope === "session" && externalId !== null ? [externalId] : [];
  return itemMacs(ledgerKey, place, { sessions, sources, contents });
}

export interface ScopeRemoval {
  readonly erasure: Erasure;
  /** Its lines in the ledger: more than one where many items mayn't come again. */
  readonly intents: readonly LedgerEntry[];
  readonly reach: Reached;
  readonly field: FieldId | null;
  readonly corrects: boolean;
  /** The text that stands instead of a corrected one. Behind the purge. */
  readonly correction: readonly Statement[];
}

/** Removes it, with its tombstones, its record and its audit row, and commits. */
export async function commitRemoval<A extends AskedAction>(
  op: Operation<A>,
  tx: Transaction,
  permit: Permit,
  { erasure, intents, reach, field, corrects, correction }: ScopeRemoval,
): Promise<void> {
  const { erasureId, reason } = erasure;
  const isAsked = op.caller.principal.claims.kind !== "job";
  const { removed, again } = await forgetReach(tx, permit, {
    erasureId,
    reason,
    reach,
    field,
    corrects,
  });
  await tx.commit([
    purgeSubject(permit),
    ...correction,
    ...again,
    insertErasure(permit, {
      ...erasure,
      requestedBy: isAsked ? op.caller.principal.ref : null,
      removed,
    }),
    ...intents.flatMap((intent) => [tombstones(permit, intent), followLedger(permit, intent)]),
    op.audit(permit, { writes: writesOf(erasureId, removed) }),
  ]);
}

/** By what a line's items are recognised. */
export function tombstones(permit: Permit, intent: LedgerEntry): Statement {
  return insertTombstones(permit, {
    erasureId: intent.erasureId,
    reason: intent.reason,
    kind: "item",
    itemMacs: intent.itemMacs.map((mac) => Buffer.from(mac, "base64")),
    at: intent.at,
  });
}
