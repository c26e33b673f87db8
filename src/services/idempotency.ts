import { configure } from "safe-stable-stringify";
import { isRepeatable, type RepeatableAction } from "../domain/action.js";
import { hoursAfter } from "../domain/clock.js";
import { MunimentError, must } from "../domain/errors.js";
import { invalid } from "../domain/fields.js";
import type { RunId } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import type { Place, SubjectKey, TenantKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import { Unmet } from "../domain/unmet.js";
import type { AskedAction } from "../policy/question.js";
import { findReply, type ReplyRow } from "../storage/queries/idempotency-find.js";
import { insertReply } from "../storage/queries/idempotency-insert.js";
import { requireUnerasedRequest } from "../storage/queries/tombstone-find.js";
import type { Statement } from "../storage/sql.js";
import type { Operation } from "./operation.js";
import type { Repeatable } from "./repeatable.js";
import { runExpired } from "./run-refusals.js";

const canonical = configure({ bigint: false });

/** The key by the name of its header, in refusals. */
const IDEMPOTENCY_KEY = "idempotency-key";

/** Refuses a key where no reply is kept under it: who sends one relies on it. */
export function refuseUnusedKey<A extends AskedAction>({ action, caller }: Operation<A>): void {
  if (caller.idempotencyKey === null || isRepeatable(action)) return;
  throw invalid(IDEMPOTENCY_KEY, "isn't taken by this operation: it keeps no reply for a repeat");
}

/**
 * Makes the operation repeatable where the caller gave an idempotency key. `request` is all that makes it this request
 * (path and body); the key counts for this caller and operation alone. A reply that shows a run is given under that run
 * alone.
 */
export function makeRepeatable<A extends RepeatableAction>(
  op: Operation<A>,
  key: SubjectKey | TenantKey,
  request: unknown,
  shows?: RunId | null,
): void {
  if (op.caller.idempotencyKey === null) return;
  const idempotencyKey = parseExternalId(op.caller.idempotencyKey, IDEMPOTENCY_KEY);
  op.repeatable = {
    key,
    keyMac: key.mac("idempotency", idempotencyKey),
    requestMac: key.mac("request", must(canonical(request), "request")),
    ...(shows === undefined ? {} : { shows }),
  };
}

/** Names the request under the tenant's key, which outlives the subject's: a repeat of it after an erasure is recognised. */
export async function nameRequest<A extends AskedAction>(op: Operation<A>): Promise<void> {
  const { principal, idempotencyKey } = op.caller;
  if (idempotencyKey === null) return;
  const { issuer, kind, id } = principal.claims;
  const key = await op.services.keyring.tenantKey(principal.tenant);
  const request = [issuer, kind, id, op.action, parseExternalId(idempotencyKey, IDEMPOTENCY_KEY)];
  op.tombstoneMac = key.mac("repeated request", JSON.stringify(request));
}

/** Stops a repeat of what was erased, before anything is made for it anew. Nothing where there is no key. */
export function refuseErasedRequest<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit,
): readonly Statement[] {
  return op.tombstoneMac === null ? [] : [requireUnerasedRequest(permit, op.tombstoneMac)];
}

/**
 * The look-up, or none, of the reply to an earlier request of this key. It goes with an operation's first reads, because
 * what they show could refuse a repeat: hand its rows to `refuseRepeat`.
 */
export function findRepeat<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit,
): readonly Statement<ReplyRow>[] {
  return op.repeatable === null
    ? []
    : [findReply(permit, op.caller.principal.ref, op.repeatable.keyMac)];
}

/** Stops a repeat, which is then answered with the reply that stands. */
export function refuseRepeat(found: readonly ReplyRow[] = []): void {
  if (found.length > 0) throw new Unmet("idempotency_seen");
}

/**
 * The statement that keeps the reply, or none. It goes first in its transaction: a repeat stops there, before anything
 * that the first request changed can refuse it. So a reply holds only what is known before the commit.
 */
export function keepReply<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit,
  reply: object,
): readonly Statement[] {
  const { repeatable } = op;
  if (repeatable === null) return [];
  return [
    ...refuseErasedRequest(op, permit),
    insertReply(permit, {
      principal: op.caller.principal.ref,
      keyMac: repeatable.keyMac,
      subject: "subject" in repeatable.key ? repeatable.key.subject : null,
      requestMac: repeatable.requestMac,
      tombstoneMac: must(op.tombstoneMac, "tombstone of a repeatable request"),
      replySealed: repeatable.key.seal(placeOf(op, repeatable), JSON.stringify(reply)),
      expiresAt: hoursAfter(op.now, LIMITS.idempotencyHours),
    }),
  ];
}

/** The reply of the first request, where this one is the same; decided and audited anew. */
export async function replay<A extends AskedAction>(op: Operation<A>): Promise<unknown> {
  const repeatable = must(op.repeatable, "repeatable request");
  const permit = op.repermit();
  return await op.services.store.transact(permit, async (tx) => {
    const [[row]] = await tx.send([findReply(permit, op.caller.principal.ref, repeatable.keyMac)]);
    if (row === undefined)
      throw new MunimentError("unavailable", "the first request isn't finished, try again");
    if (!Buffer.from(row.requestMac).equals(repeatable.requestMac)) throw mismatch();
    const reply: unknown = JSON.parse(
      repeatable.key.open(placeOf(op, repeatable), row.replySealed),
    );
    if (repeatable.shows !== undefined) refuseOutlived(reply as RunShown, repeatable.shows, op.now);
    await tx.commit([op.audit(permit, { reads: [{ kind: "reply", ids: [] }] })]);
    return reply;
  });
}

function mismatch(): MunimentError {
  return new MunimentError(
    "idempotency_mismatch",
    "this idempotency key was used for another request: take a new one",
  );
}

interface RunShown {
  readonly run_id: string;
  readonly expires_at: string;
}

/** A reply that shows a run's memory is neither shown under another run nor after that memory's own clock. */
function refuseOutlived(reply: RunShown, run: RunId | null, now: Date): void {
  if (run !== null && reply.run_id !== run) throw mismatch();
  if (new Date(reply.expires_at) <= now) throw runExpired();
}

function placeOf<A extends AskedAction>(op: Operation<A>, repeatable: Repeatable): Place {
  return replyPlace(op.caller.principal.ref, op.action, repeatable.keyMac);
}

export function replyPlace(principal: string, operation: string, keyMac: Uint8Array): Place {
  const row = `${principal}/${operation}/${Buffer.from(keyMac).toString("hex")}`;
  return { table: "idempotency", column: "reply_sealed", row, within: "", version: 1 };
}
