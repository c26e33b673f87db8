import { uuidv7 } from "uuidv7";
import { trustedId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import type { LedgerEntry } from "../domain/ledger.js";
import {
  type ListedSubject,
  listKnownSubjects,
  listSubjects,
} from "../storage/queries/subject-list.js";
import type { Caller } from "./caller.js";
import { closeErasure } from "./close-erasure.js";
import { eachRow } from "./each-row.js";
import { memoryOf, removeSubject } from "./erasures.js";
import { lockLive } from "./forget-scope.js";
import { govern } from "./govern.js";
import { orAlarm } from "./integrity.js";
import { appendIntent, requestsOf } from "./intents.js";
import type { Receipt } from "./receipts.js";
import { recognisedOfPerson } from "./recognised.js";
import type { Services } from "./services.js";
import { externalPlace } from "./subjects.js";

/**
 * Erases people whom a restored database knows under another internal id than the one under which they were erased: as where a
 * backup was put back, they came anew and were erased, and then another backup was put back. The ledger's lines know them by
 * the HMAC of their external id. Where it knows who was erased, alive now is whoever came since, whatever clock says when. Each
 * erasure leaves lines of its own; gives their receipts.
 */
export async function eraseReturned(
  services: Services,
  caller: Caller,
  intents: readonly LedgerEntry[],
): Promise<readonly Receipt[]> {
  const erased = new Map<string, LedgerEntry>();
  for (const intent of await ofStrangers(services, caller, intents))
    erased.set(intent.subjectMac, intent);
  const receipts: Receipt[] = [];
  if (erased.size === 0) return receipts;
  for await (const person of people(services, caller)) {
    const key = await services.keyring.subjectKey(
      caller.principal.tenant,
      person.subjectId,
      person.keyId,
    );
    const mac = key === null ? null : await macOf(services, caller, { ...person, key });
    const intent = mac === null ? undefined : erased.get(mac);
    // Who came after it is somebody new.
    if (key === null || intent === undefined || person.createdAt > intent.at) continue;
    receipts.push(await eraseAs(services, caller, { ...person, key }, intent));
  }
  return receipts;
}

/** Erasures of people whom the database doesn't have under the id that the line names. */
async function ofStrangers(
  services: Services,
  { principal }: Caller,
  intents: readonly LedgerEntry[],
): Promise<readonly LedgerEntry[]> {
  const whole = intents.filter(({ scope }) => scope === "subject");
  if (whole.length === 0) return whole;
  const permit = services.policy.resolvePermit(principal, services.clock.now());
  const ids = whole.map(({ subject }) => subject);
  const [rows] = await services.store.transact(permit, (tx) =>
    tx.commit([listKnownSubjects(permit, ids)]),
  );
  const known = new Set<string>(rows.map(({ subjectId }) => subjectId));
  return whole.filter(({ subject }) => !known.has(subject));
}

function people(services: Services, { principal }: Caller): AsyncIterable<ListedSubject> {
  return eachRow("subjectId", async (after, limit) => {
    const permit = services.policy.resolvePermit(principal, services.clock.now());
    const [rows] = await services.store.transact(permit, (tx) =>
      tx.commit([listSubjects(permit, after, limit)]),
    );
    return rows;
  });
}

/** Somebody whose key is there. */
type Returned = ListedSubject & { readonly key: SubjectKey };

/** By what the ledger knows the person; null where the mapping doesn't open in its place. */
async function macOf(
  { keyring, onAlarm }: Services,
  { principal: { tenant } }: Caller,
  { key, subjectId, lookup, sealed }: Returned,
): Promise<string | null> {
  const place = externalPlace("subject", lookup, subjectId);
  const externalId = orAlarm(onAlarm, () => key.open(place, sealed));
  return externalId === null ? null : (await keyring.ledger.key(tenant)).mac("subject", externalId);
}

async function eraseAs(
  services: Services,
  caller: Caller,
  { key, ...person }: Returned,
  { reason, basis, subjectMac }: LedgerEntry,
): Promise<Receipt> {
  const { subjectId, keyId } = person;
  return await govern(services, caller, "replay_erasure", async (op) => {
    const erasure = {
      erasureId: trustedId<"ErasureId">(uuidv7()),
      subjectId,
      keyId,
      subjectMac,
      reason,
      basis,
      scope: "subject" as const,
      target: subjectId,
      requestedAt: op.now,
    };
    const permit = op.permit(memoryOf(erasure), {});
    await services.store.transact(permit, async (tx) => {
      await lockLive(tx, permit);
      const requests = await requestsOf(tx, permit);
      const { tenant } = caller.principal;
      const ledgerKey = await services.keyring.ledger.key(tenant);
      const of = { services, known: { subject: subjectId, keyId, key }, ledgerKey, erasure };
      const recognised = await recognisedOfPerson(of, tx, permit);
      const lines = await appendIntent(services, tenant, erasure, recognised, requests);
      await removeSubject(op, tx, permit, lines);
    });
    return await closeErasure(op, erasure);
  });
}
