import { uuidv7 } from "uuidv7";
import { type Erasure, NARROW_SCOPES, type NarrowScope } from "../domain/erasure.js";
import { invalid, parseOneOf } from "../domain/fields.js";
import { trustedId } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import type { LedgerEntry } from "../domain/ledger.js";
import type { Permit } from "../domain/permit.js";
import type { TurnContent } from "../domain/turn.js";
import type { ErasureRow } from "../storage/queries/erasure-find.js";
import { correctTurn } from "../storage/queries/reach-delete-whole.js";
import type { Statement } from "../storage/sql.js";
import { askedPerson } from "./asked-person.js";
import type { Caller } from "./caller.js";
import { closeErasure } from "./close-erasure.js";
import { commitRemoval, lockLive, unheldReach } from "./forget-scope.js";
import { govern } from "./govern.js";
import { type EraseScopeInput, eraseScopeInput } from "./inputs/erasure.js";
import { parseInput } from "./inputs/parse.js";
import { appendIntent, requestsOf } from "./intents.js";
import { openIntents, refuseDoomed } from "./open-intents.js";
import type { DecisionReply, Operation } from "./operation.js";
import type { Reached } from "./reach.js";
import type { Receipt } from "./receipts.js";
import { recognisedOfPart } from "./recognised.js";
import type { Services } from "./services.js";
import { findForgettable } from "./source-proposals.js";
import type { KnownSubject } from "./subjects.js";
import { takenBefore } from "./taken-before.js";
import { sealCorrection } from "./turn-correction.js";
import { refuseText, turnPlace } from "./turn-writing.js";

export interface EraseScopeReply extends Receipt {
  readonly decision: DecisionReply;
}

/**
 * Forgets something of a person who stays: a session, run, source, turn, episode or field, with all that derives from it
 * alone. Under one lock of the subject: what hangs on it is found, the intent is made durable in the ledger, and it is
 * removed. The reason decides what may come again.
 */
export function eraseScope(
  services: Services,
  caller: Caller,
  subjectId: string,
  scopeName: string,
  body: unknown,
): Promise<EraseScopeReply> {
  return govern(services, caller, "erase_scope", async (op) => {
    const scope = parseOneOf(scopeName, "scope", NARROW_SCOPES);
    const input = parseInput(eraseScopeInput, body);
    refuseMismatch(scope, input);
    const externalId = parseExternalId(subjectId, "subject");
    const known = await askedPerson(op, externalId);
    const resource = { type: "memory", subject: known.subject, keyId: known.keyId } as const;
    const permit = op.permit(resource, {});
    const erasure = await removeScope(op, permit, known, { scope, input, externalId });
    if ("receipt" in erasure && erasure.receipt !== null)
      return { ...(erasure.receipt as unknown as Receipt), decision: op.decision() };
    return { ...(await closeErasure(op, erasure)), decision: op.decision() };
  });
}

/** A correction says what is right instead, and nothing else does. */
function refuseMismatch(scope: NarrowScope, { reason, text }: EraseScopeInput): void {
  const takesText = reason === "correct" && (scope === "turn" || scope === "source");
  if (takesText && text === undefined)
    throw invalid("text", "is missing: a correction says what is right");
  if (!takesText && text !== undefined)
    throw invalid("text", "is taken where a turn or a source is corrected alone");
  if (reason === "correct" && !takesText && scope !== "field")
    throw invalid("reason", "can't be `correct` here: correct its turns");
}

interface Asked {
  readonly scope: NarrowScope;
  readonly input: EraseScopeInput;
  readonly externalId: string;
}

/** The erasure whose rows are gone now; one that stands already where the same was asked for before. */
async function removeScope(
  op: Operation<"erase_scope">,
  permit: Permit<"erase_scope">,
  known: KnownSubject,
  { scope, input, externalId }: Asked,
): Promise<Erasure | ErasureRow> {
  const { services, caller } = op;
  const { tenant } = caller.principal;
  const ledgerKey = await services.keyring.ledger.key(tenant);
  return await services.store.transact(permit, async (tx) => {
    await lockLive(tx, permit);
    const named = input.target;
    const found = await findForgettable(services, tx, permit, known, { scope, named });
    if (found?.isThere !== true)
      return await takenBefore(op, tx, permit, known, {
        scope,
        named,
        target: found?.target ?? null,
      });
    const { target, field, proposals } = found;
    const corrects = input.reason === "correct";
    const reach = await unheldReach(tx, permit, { scope, target, field, corrects, proposals });
    if (corrects) refuseRecord(reach, proposals);
    const open = await openIntents(services, tx, permit, known.subject);
    if (corrects) refuseDoomed(open, { scope, target, reason: input.reason });
    const subjectMac = ledgerKey.mac("subject", externalId);
    const erasure = erasureOf(op, known, { scope, target, subjectMac, open, input });
    const [first] = [...reach.rows, ...reach.revisions];
    const workspace = first?.workspaceId ?? caller.principal.workspace;
    const recognised = recognisedOfPart(
      { services, known, ledgerKey, erasure },
      { reach, workspace, externalId: found.externalId },
    );
    const correction = correctionOf(permit, known, reach, input);
    // Nothing refuses from here on.
    const requests = await requestsOf(tx, permit);
    const fresh = await appendIntent(services, tenant, erasure, recognised, requests);
    const own = open.filter(({ erasureId }) => erasureId === erasure.erasureId);
    const intents = [...own, ...fresh];
    await commitRemoval(op, tx, permit, { erasure, intents, reach, corrects, correction });
    return erasure;
  });
}

function refuseRecord({ events }: Reached, proposals: readonly string[]): void {
  if (events.length + proposals.length > 0)
    throw invalid(
      "reason",
      "can't be `correct` here: what is right comes as a record's next revision, or is proposed anew",
    );
}

interface Removing extends Pick<Erasure, "scope" | "target" | "subjectMac"> {
  readonly open: readonly LedgerEntry[];
  readonly input: EraseScopeInput;
}

/** One that was broken off is finished under its id, with what came since. */
function erasureOf(
  { services }: Operation<"erase_scope">,
  { subject }: KnownSubject,
  { scope, target, subjectMac, open, input: { reason, basis } }: Removing,
): Erasure {
  const begun = open.find(
    (line) => line.scope === scope && line.target === target && line.reason === reason,
  );
  return {
    erasureId: begun?.erasureId ?? trustedId<"ErasureId">(uuidv7()),
    subjectId: subject,
    keyId: null,
    subjectMac,
    reason,
    basis,
    scope,
    target,
    // Under the lock: what was written while it was waited for is meant too.
    requestedAt: services.clock.now(),
  };
}

/** Each corrected turn stays as a row, under its own seal's place, with the new text. */
function correctionOf(
  permit: Permit,
  { key }: KnownSubject,
  { rows }: Reached,
  { text }: EraseScopeInput,
): readonly Statement[] {
  if (text === undefined) return [];
  return rows.map((row) => {
    refuseText({ role: row.role, text }, "text");
    const before = JSON.parse(key.open(turnPlace(row), row.contentSealed)) as TurnContent;
    return correctTurn(permit, sealCorrection(key, row, { ...before, text }));
  });
}
