import { uuidv7 } from "uuidv7";
import { must } from "../domain/errors.js";
import { trustedId } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import { Unmet } from "../domain/unmet.js";
import type { StoreResource } from "../policy/resources.js";
import { countRecords, findHeldRevisions } from "../storage/queries/event-find.js";
import { insertEvents } from "../storage/queries/event-insert.js";
import { ensureExternalIds } from "../storage/queries/external-id-insert.js";
import { lockSubject } from "../storage/queries/subject-end.js";
import { readSubject } from "../storage/queries/subject-read.js";
import { findTombstones } from "../storage/queries/tombstone-find.js";
import { subjectScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { personMac } from "./erased-rows.js";
import {
  type AcceptedEvent,
  type EventReply,
  parseEvents,
  recordMacs,
  type SplitEvents,
  withoutPerson,
  withoutRecords,
} from "./event-rows.js";
import { identifyEvent, writeEvents } from "./event-writing.js";
import { govern } from "./govern.js";
import { admitEvents } from "./held-revisions.js";
import { recordEventsInput } from "./inputs/event.js";
import { parseInput } from "./inputs/parse.js";
import { macText } from "./item-macs.js";
import type { DecisionReply, Operation } from "./operation.js";
import type { Services } from "./services.js";
import { namedSubject } from "./settle.js";
import { settledStore } from "./stores.js";

export interface RecordEventsReply {
  readonly recorded: number;
  readonly unchanged: number;
  readonly refused: number;
  /** Forgotten, and not taken again: each says why. */
  readonly skipped: number;
  readonly events: readonly EventReply[];
  readonly decision: DecisionReply;
}

/**
 * Takes in what a connector's sources say of a person, as evidence. A revision that is there already adds nothing, so a
 * broken-off import is simply sent again; an older one than the newest becomes history and never the current one.
 */
export function recordEvents(
  services: Services,
  caller: Caller,
  subjectId: string,
  body: unknown,
): Promise<RecordEventsReply> {
  return govern(services, caller, "record_events", async (op) => {
    const externalId = parseExternalId(subjectId, "subject");
    const { events } = parseInput(recordEventsInput, body);
    const parsed = parseEvents(events, op.now, services.projections);
    const person = await personMac(op, externalId);
    const { taken, replies } = await beforeAnybody(op, externalId, person, parsed);
    const rest =
      taken.length === 0
        ? await recordNothing(op, externalId)
        : await recordTaken(op, externalId, person, taken);
    const all = [...replies, ...rest].toSorted((a, b) => a.index - b.index);
    const count = (status: EventReply["status"]) =>
      all.filter((reply) => reply.status === status).length;
    return {
      recorded: count("recorded"),
      unchanged: count("unchanged"),
      refused: count("refused"),
      skipped: count("skipped"),
      events: all,
      decision: op.decision(),
    };
  });
}

/** Nobody is made anew for events that are skipped anyway. The transaction that writes the others looks again. */
async function beforeAnybody(
  op: Operation<"record_events">,
  externalId: string,
  person: Uint8Array,
  { taken, replies }: SplitEvents,
): Promise<SplitEvents> {
  if (taken.length === 0 || (await namedSubject(op, externalId)) !== null)
    return { taken, replies };
  const { services, caller } = op;
  const { tenant, workspace } = caller.principal;
  const permit = services.policy.resolvePermit(caller.principal, op.now);
  const place = { subject: macText(person), workspace };
  const records = recordMacs(await services.keyring.ledger.key(tenant), [place], taken);
  const [[tombstone], forgotten] = await services.store.transact(permit, (tx) =>
    tx.commit([
      findTombstones(permit, "subject", [person]),
      findTombstones(permit, "item", records.all),
    ]),
  );
  const byPerson = withoutPerson(taken, tombstone);
  const byRecord = withoutRecords(byPerson.taken, records, forgotten);
  return { taken: byRecord.taken, replies: [...replies, ...byPerson.replies, ...byRecord.replies] };
}

/** A batch of which nothing could be taken is decided and leaves its trace all the same. */
async function recordNothing(
  op: Operation<"record_events">,
  externalId: string,
): Promise<readonly EventReply[]> {
  const known = await namedSubject(op, externalId);
  if (known !== null) op.aboutSubject(known.subject);
  const resource: StoreResource = {
    type: "store",
    subject: known?.subject ?? trustedId<"SubjectId">(uuidv7()),
    keyId: known?.keyId ?? trustedId<"KeyId">(uuidv7()),
    workspace: op.caller.principal.workspace,
  };
  const permit = op.permit(resource, {});
  await op.services.store.transact(permit, (tx) => tx.commit([op.audit(permit, {})]));
  return [];
}

/**
 * One transaction of two round trips, under the subject's lock: who forgets something of it, or records the same, is waited
 * for, and then seen.
 */
async function recordTaken(
  op: Operation<"record_events">,
  externalId: string,
  person: Uint8Array,
  taken: readonly AcceptedEvent[],
): Promise<readonly EventReply[]> {
  const { services } = op;
  const { subject, resource } = await settledStore(op, externalId, {});
  const permit = op.permit(resource, {});
  const scope = subjectScope(permit);
  const places = [scope, { ...scope, subject: macText(person) }];
  const records = recordMacs(await services.keyring.ledger.key(scope.tenant), places, taken);
  const identified = taken.map((accepted) => ({
    ...accepted,
    ...identifyEvent(subject.key, scope.workspace, accepted.event),
  }));
  return await services.store.transact(permit, async (tx) => {
    const [, [live], [tombstone], forgotten, held, [kept]] = await tx.send([
      lockSubject(permit),
      readSubject(permit),
      findTombstones(permit, "subject", [person]),
      findTombstones(permit, "item", records.all),
      findHeldRevisions(permit, identified),
      countRecords(
        permit,
        identified.map(({ sourceLookup }) => sourceLookup),
      ),
    ]);
    if (live === undefined) throw new Unmet("subject_gone");
    const byPerson = withoutPerson(identified, tombstone);
    const byRecord = withoutRecords(byPerson.taken, records, forgotten);
    const admitted = admitEvents(byRecord.taken, held, must(kept, "records"));
    const { rows, names } = writeEvents(subject, permit, admitted.fresh);
    const lookups = names.map(({ lookup }) => lookup);
    const ids = rows.map(({ eventId }) => eventId);
    await tx.commit([
      ...(rows.length === 0
        ? []
        : [ensureExternalIds(scope, names), insertEvents(permit, rows, lookups)]),
      op.audit(permit, { writes: [{ kind: "event", ids }] }),
    ]);
    return [...byPerson.replies, ...byRecord.replies, ...admitted.replies];
  });
}
