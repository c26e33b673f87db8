import { hoursAfter } from "../domain/clock.js";
import type { SubjectId } from "../domain/ids.js";
import { NO_HEAD } from "../domain/ledger.js";
import { LIMITS } from "../domain/limits.js";
import { Unmet } from "../domain/unmet.js";
import {
  listRotated,
  type RotatedRow,
  readRotation,
  requireLive,
  setRotation,
} from "../storage/queries/key-rotation.js";
import { readLedgerHead } from "../storage/queries/ledger-head.js";
import type { Caller } from "./caller.js";
import { eachTenant } from "./each-tenant.js";
import { govern } from "./govern.js";
import type { Operation } from "./operation.js";
import { isUnderOlder, reseal } from "./reseal.js";
import { keptUntil } from "./rotations.js";
import type { Services } from "./services.js";

/** What was done about the older keys of a tenant's subjects. */
export interface KeyReport {
  readonly tenant: string;
  /** Rows that were sealed anew. */
  readonly resealed: number;
  /** Subjects whose older keys were destroyed. */
  readonly destroyed: number;
}

type Tended = Omit<KeyReport, "tenant">;
const NOTHING: Tended = { resealed: 0, destroyed: 0 };

/**
 * Goes on with new data keys, as the job `reseal_subject`: seals anew what is left under older ones, and destroys those once
 * nothing is and their time is over.
 */
export function tendKeys(services: Services): Promise<readonly KeyReport[]> {
  return eachTenant(services, "reseal_subject", async (caller, tenant) => {
    let total = NOTHING;
    let after: SubjectId | null = null;
    do {
      const page: readonly RotatedRow[] = await listPage(services, caller, after);
      for (const row of page.filter((one) => isToLookAt(services, one))) {
        const { resealed, destroyed } = await tendSubject(services, caller, row);
        total = { resealed: total.resealed + resealed, destroyed: total.destroyed + destroyed };
      }
      after = page.length < LIMITS.pageRowsMax ? null : (page.at(-1)?.subjectId ?? null);
    } while (after !== null);
    return { tenant, ...total };
  });
}

function listPage(
  services: Services,
  caller: Caller,
  after: SubjectId | null,
): Promise<readonly RotatedRow[]> {
  return govern(services, caller, "list_rotated", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    return await services.store.transact(permit, async (tx) => {
      const [page] = await tx.send([listRotated(permit, after, LIMITS.pageRowsMax)]);
      // Nothing becomes of what isn't looked at.
      const count = page.filter((one) => isToLookAt(services, one)).length;
      const reads = [{ kind: "subject", ids: [], count }];
      await tx.commit(count === 0 ? [] : [op.audit(permit, { reads })]);
      return page;
    });
  });
}

/**
 * Not again where nothing was left: until those are over who could still seal under the key before, and until that key's end.
 */
function isToLookAt({ caches, clock, retention }: Services, row: RotatedRow): boolean {
  const now = clock.now();
  const seen = caches.sealedAnew.get(seenKey(row));
  const lateUntil = hoursAfter(row.rotatedAt, LIMITS.keySealHoursMax);
  const isLate = now > lateUntil && (seen === undefined || seen <= lateUntil);
  return seen === undefined || isLate || keptUntil({ retention }, row.rotatedAt) <= now;
}

function seenKey({ tenantId, subjectId, rotatedAt }: RotatedRow): string {
  return `${tenantId}/${subjectId}/${rotatedAt.getTime()}`;
}

async function tendSubject(services: Services, caller: Caller, row: RotatedRow): Promise<Tended> {
  const { subjectId: subject, keyId, rotatedAt } = row;
  const { tenant } = caller.principal;
  const key = await services.keyring.subjectKey(tenant, subject, keyId);
  if (key === null) return NOTHING;
  return await govern(services, caller, "reseal_subject", async (op) => {
    op.aboutSubject(subject);
    op.permit({ type: "memory", subject, keyId }, {});
    try {
      const { rows, isDone } = await reseal(op, key);
      if (isDone) services.caches.sealedAnew.set(seenKey(row), op.now);
      const ends = isDone && isDue(op, rotatedAt);
      return { resealed: rows, destroyed: ends && (await destroyOlder(op)) ? 1 : 0 };
    } catch (error) {
      // It has ended meanwhile, with all of its keys.
      if (error instanceof Unmet && error.code === "subject_gone") return NOTHING;
      throw error;
    }
  });
}

function isDue({ services, now }: Operation<"reseal_subject">, rotatedAt: Date | null): boolean {
  return rotatedAt !== null && keptUntil(services, rotatedAt) <= now;
}

/**
 * Destroys the keys before the newest one. INVARIANT: under the subject's lock nothing that opens is left under them; nobody
 * seals under them after it, since a key that was taken before the newest one was made is too old to seal by now.
 */
async function destroyOlder(op: Operation<"reseal_subject">): Promise<boolean> {
  const { keyring, store } = op.services;
  const { tenant } = op.caller.principal;
  const permit = op.repermit();
  const { subject, keyId } = permit.scope;
  if (subject === undefined || keyId === undefined) return false;
  return await store.transact(permit, async (tx) => {
    await tx.send([requireLive(permit)]);
    // Behind the lock: whoever gives the subject another key holds it too, and what was read before may be out of date.
    const [[standing], [followed]] = await tx.send([readRotation(permit), readLedgerHead(permit)]);
    if (!isDue(op, standing?.rotatedAt ?? null)) return false;
    // A new key that was broken off before its commit stands in the ledger alone: the time that was read is an older one's.
    if ((await keyring.ledger.head(tenant)).seq > (followed ?? NO_HEAD).seq) return false;
    keyring.refreshSubjectKey({ tenant, subject, keyId });
    const key = await keyring.subjectKey(tenant, subject, keyId);
    if (key === null || (await isUnderOlder(op.services, tx, permit, key))) return false;
    await keyring.retireSubjectKey(tenant, subject, keyId, key.version);
    await tx.commit([
      setRotation(permit, null),
      op.auditStep(permit, { writes: [{ kind: "subject_key_destroyed", ids: [subject] }] }),
    ]);
    return true;
  });
}
