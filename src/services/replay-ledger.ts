import { MunimentError } from "../domain/errors.js";
import type { ErasureId, TenantId } from "../domain/ids.js";
import { type LedgerEntry, type LedgerHead, NO_HEAD } from "../domain/ledger.js";
import { LIMITS } from "../domain/limits.js";
import { listUnfinishedErasures } from "../storage/queries/erasure-find.js";
import { followLedgerTo, readLedgerHead } from "../storage/queries/ledger-head.js";
import type { Caller } from "./caller.js";
import { closeErasure } from "./close-erasure.js";
import { eachTenant } from "./each-tenant.js";
import { eraseReturned } from "./erase-returned.js";
import { erasureOf, memoryOf } from "./erasures.js";
import { govern } from "./govern.js";
import { repeatHold } from "./holds.js";
import type { Receipt } from "./receipts.js";
import { repeatRemoval } from "./repeat-removal.js";
import { refuseMissingKeys, repeatRotation } from "./rotations.js";
import type { Services } from "./services.js";

/** What was done again in a tenant, or done to its end. */
export interface ReplayReport {
  readonly tenant: string;
  readonly replayed: number;
}

/**
 * Brings the database to where the ledger is: what was erased after the backup that it was restored from is erased again,
 * and what was broken off is finished. Before anything is served; looks at the lines since the last time alone. Throws
 * `unavailable` where the ledger is older than the database, or another one, and where something of the erased is left.
 */
export async function replayLedger(services: Services): Promise<readonly ReplayReport[]> {
  try {
    return await eachTenant(services, "replay", async (caller, tenant) => ({
      tenant,
      replayed: await replayTenant(services, caller),
    }));
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

async function replayTenant(services: Services, caller: Caller): Promise<number> {
  const { tenant } = caller.principal;
  const { ledger } = services.keyring;
  const followed = await headOf(services, caller);
  refuseOlder(tenant, followed, await ledger.head(tenant));
  await refuseOther(services, tenant, followed);
  let replayed = 0;
  let last = followed;
  for (;;) {
    const lines = await ledger.read(tenant, last.seq, LIMITS.ledgerRowsMax);
    const end = lines.at(-1);
    if (end === undefined) break;
    replayed += await replayLines(services, caller, lines);
    // Their own lines are looked at in turn, and say what is done.
    const intents = lines.filter(({ step }) => step === "intent");
    for (const receipt of await eraseReturned(services, caller, intents)) refuseLeft(receipt);
    last = end;
  }
  replayed += await finishBroken(services, caller);
  if (last.seq > followed.seq) await follow(services, caller, last);
  return replayed;
}

async function headOf(services: Services, { principal }: Caller): Promise<LedgerHead> {
  const permit = services.policy.resolvePermit(principal, services.clock.now());
  const [[head]] = await services.store.transact(permit, (tx) =>
    tx.commit([readLedgerHead(permit)]),
  );
  return head ?? NO_HEAD;
}

function refuseOlder(tenant: TenantId, followed: LedgerHead, head: LedgerHead): void {
  if (head.seq >= followed.seq) return;
  throw new MunimentError(
    "unavailable",
    `the erasure ledger of tenant ${tenant} ends at line ${head.seq}, and the database has followed it to line ${followed.seq}: ` +
      "this custody is older than the database, bring back the newer one",
  );
}

/** The line that the database followed last stands in this ledger, word for word, and custody has the keys that go with it. */
async function refuseOther(
  services: Services,
  tenant: TenantId,
  { seq, mac }: LedgerHead,
): Promise<void> {
  if (seq === 0) return;
  const { keyring } = services;
  const from = Math.max(0, seq - LIMITS.ledgerRowsMax);
  const lines = await keyring.ledger.read(tenant, from, seq - from);
  if (lines.at(-1)?.mac === mac) return await refuseMissingKeys(services, lines);
  throw new MunimentError(
    "unavailable",
    `line ${seq} of the erasure ledger of tenant ${tenant} isn't the one that the database has followed: bring back the custody that belongs to it`,
  );
}

async function replayLines(
  services: Services,
  caller: Caller,
  lines: readonly LedgerEntry[],
): Promise<number> {
  const closed = new Map<ErasureId, LedgerEntry>();
  const asked = new Map<ErasureId, Date>();
  for (const line of lines) {
    if (line.step === "closed") closed.set(line.erasureId, line);
    if (line.step === "intent") asked.set(line.erasureId, line.at);
  }
  let replayed = 0;
  for (const line of lines) {
    if (line.step === "closed") continue;
    replayed++;
    if (line.step === "intent")
      await replayIntent(
        services,
        caller,
        // As it was asked for last: one that was cut short may have been asked for again.
        { ...line, at: asked.get(line.erasureId) ?? line.at },
        closed.get(line.erasureId) ?? null,
      );
    else
      await govern(services, caller, "replay_erasure", async (op) => {
        const repeat = line.step === "rotation" ? repeatRotation : repeatHold;
        await repeat(op, op.permit(memoryOf(erasureOf(line)), {}), line);
      });
  }
  return replayed;
}

async function replayIntent(
  services: Services,
  caller: Caller,
  intent: LedgerEntry,
  closedBy: LedgerEntry | null,
): Promise<void> {
  const erasure = erasureOf(intent);
  await govern(services, caller, "replay_erasure", async (op) => {
    const permit = op.permit(memoryOf(erasure), {});
    await services.store.transact(permit, (tx) => repeatRemoval(op, tx, permit, intent));
    refuseLeft(await closeErasure(op, erasure, closedBy));
  });
}

/** Rows are gone; key, ledger or receipt were still due. */
async function finishBroken(services: Services, caller: Caller): Promise<number> {
  const permit = services.policy.resolvePermit(caller.principal, services.clock.now());
  const [unfinished] = await services.store.transact(permit, (tx) =>
    tx.commit([listUnfinishedErasures(permit, LIMITS.pageRowsMax)]),
  );
  for (const erasure of unfinished) {
    await govern(services, caller, "replay_erasure", async (op) => {
      op.permit(memoryOf(erasure), {});
      refuseLeft(await closeErasure(op, erasure));
    });
  }
  return unfinished.length;
}

function refuseLeft({ erasure_id, scope, stores }: Receipt): void {
  const left = stores.filter(({ found }) => found > 0).map(({ name }) => name);
  // Of somebody who stays, what is like it may have come since: that one stays open, and is looked at again.
  if (left.length === 0 || scope !== "subject") return;
  throw new MunimentError(
    "unavailable",
    `something of erasure ${erasure_id} is left in ${left.join(", ")}: run \`muniment doctor\``,
  );
}

async function follow(services: Services, caller: Caller, head: LedgerHead): Promise<void> {
  await govern(services, caller, "replay_ledger", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    const writes = [{ kind: "ledger_head", ids: [], count: head.seq }];
    await services.store.transact(permit, (tx) =>
      tx.commit([followLedgerTo(permit, head), op.audit(permit, { writes })]),
    );
  });
}
