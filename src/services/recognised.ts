import type { Erasure } from "../domain/erasure.js";
import { RETURN_RULES, RETURNING_REASONS } from "../domain/erasure-rules.js";
import type { WorkspaceId } from "../domain/ids.js";
import type { LedgerKey } from "../domain/ledger.js";
import type { Permit } from "../domain/permit.js";
import type { TurnContent } from "../domain/turn.js";
import { listRecordsAhead } from "../storage/queries/event-list-ahead.js";
import { listTurnsAhead } from "../storage/queries/turn-list-ahead.js";
import type { Transaction } from "../storage/store.js";
import { eachRow } from "./each-row.js";
import { orAlarm } from "./integrity.js";
import { NOTHING, type Recognised } from "./intents.js";
import { type Items, itemMacs } from "./item-macs.js";
import type { Reached } from "./reach.js";
import type { Services } from "./services.js";
import { externalPlace, type KnownSubject } from "./subjects.js";
import { type Standing, turnPlace } from "./turn-writing.js";

/** Of whom something is forgotten, and what names it in the ledger. */
export interface Forgettable {
  readonly services: Services;
  readonly known: KnownSubject;
  readonly ledgerKey: LedgerKey;
  readonly erasure: Erasure;
}

/** What of somebody who stays is forgotten. */
export interface ForgottenPart {
  readonly reach: Reached;
  readonly workspace: WorkspaceId;
  /** The application's own id of a session or source. */
  readonly externalId: string | null;
}

/**
 * By what it is recognised when it comes again. What claims a time ahead is known as the subject's and as the person's, so that
 * it is known when the person is forgotten as a whole, and somebody new comes by that name.
 */
export function recognisedOfPart(
  of: Forgettable,
  { reach, workspace, externalId }: ForgottenPart,
): Recognised {
  const { known, erasure } = of;
  const { scope, subjectMac, requestedAt } = erasure;
  if (RETURNING_REASONS.includes(erasure.reason)) return NOTHING;
  const named = externalId === null ? [] : [externalId];
  const source = scope === "source" ? named : [];
  const late = reach.rows.filter(({ observedAt }) => observedAt > requestedAt);
  const hasLateRevision = reach.revisions.some(({ effectiveAt }) => effectiveAt > requestedAt);
  const macs = (subject: string, items: Items) =>
    itemMacs(of.ledgerKey, { subject, workspace }, knownBy(erasure, items));
  const ahead = said(of, late, hasLateRevision ? source : []);
  const sessions = scope === "session" ? named : [];
  const proposals = scope === "field" || scope === "source" ? reach.candidates : [];
  return {
    items: macs(known.subject, { sessions, proposals, ...said(of, reach.rows, source) }),
    ahead: [known.subject, subjectMac].flatMap((subject) => macs(subject, ahead)),
  };
}

/**
 * Of a whole person who is forgotten, what claims a time ahead, in whatever workspace it comes again: all else is known by its time.
 * Under the lock.
 */
export async function recognisedOfPerson(
  of: Forgettable,
  tx: Transaction,
  permit: Permit,
): Promise<Recognised> {
  const { ledgerKey, erasure } = of;
  const { subjectMac: subject, requestedAt: since } = erasure;
  if (RETURNING_REASONS.includes(erasure.reason)) return NOTHING;
  const macs = (items: Items) =>
    itemMacs(ledgerKey, { subject, workspace: null }, knownBy(erasure, items));
  const ahead = new Set<string>();
  const note = (found: readonly string[]) => {
    for (const mac of found) ahead.add(mac);
  };
  const turns = eachRow("turnId", async (after, limit) => {
    const [rows] = await tx.send([listTurnsAhead(permit, { since, after, limit })]);
    return rows;
  });
  for await (const turn of turns) note(macs(said(of, [turn], [])));
  const records = eachRow("sourceId", async (after, limit) => {
    const [rows] = await tx.send([listRecordsAhead(permit, { since, after, limit })]);
    return rows;
  });
  for await (const record of records) note(macs({ sources: openName(of, record) }));
  return { items: [], ahead: [...ahead] };
}

/** A reason's own: what one source withdraws, another may still say. */
function knownBy({ reason }: Erasure, items: Items): Items {
  return Object.fromEntries(RETURN_RULES[reason].knownBy.map((kind) => [kind, items[kind] ?? []]));
}

interface Sourced {
  readonly sourceId: string | null;
  readonly sourceLookup: Uint8Array | null;
  readonly sourceSealed: Uint8Array | null;
}

type SealedTurn = Sourced & Standing & { readonly contentSealed: Uint8Array };

/** Texts and sources of turns, as far as they open. */
function said(of: Forgettable, rows: readonly SealedTurn[], sources: readonly string[]): Items {
  const { key } = of.known;
  const contents = rows.flatMap((row) => {
    const content = orAlarm(of.services.onAlarm, () => key.open(turnPlace(row), row.contentSealed));
    return content === null ? [] : [(JSON.parse(content) as TurnContent).text];
  });
  return { contents, sources: [...rows.flatMap((row) => openName(of, row)), ...sources] };
}

function openName(
  { services, known }: Forgettable,
  { sourceId, sourceLookup, sourceSealed }: Sourced,
): readonly string[] {
  if (sourceId === null || sourceLookup === null || sourceSealed === null) return [];
  const place = externalPlace("source", sourceLookup, sourceId);
  const name = orAlarm(services.onAlarm, () => known.key.open(place, sourceSealed));
  return name === null ? [] : [name];
}
