import { notFound } from "../domain/errors.js";
import { isUuid, type RunId, trustedId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import type { Pin } from "../domain/pin.js";
import type { Principal } from "../domain/principal.js";
import type { AskedAction } from "../policy/question.js";
import { findRunPin, type PinRow } from "../storage/queries/run-find.js";
import type { Operation } from "./operation.js";
import { macPin } from "./pinning.js";
import type { Services } from "./services.js";

/** A run's pin with the key of its subject. */
export interface PinnedRun {
  readonly pin: Pin;
  readonly key: SubjectKey;
}

/** The pin of a run of the caller's tenant, by its id as it came from outside. A run of somebody else is as missing as one that never was. */
export async function pinOf<A extends AskedAction>(
  op: Operation<A>,
  run: string,
): Promise<PinnedRun> {
  const { services, caller } = op;
  // What isn't one of our ids can't exist.
  const pin = isUuid(run)
    ? await findPin(services, caller.principal, trustedId<"RunId">(run))
    : null;
  if (pin === null) {
    await op.foreign(run);
    throw notFound();
  }
  op.about(pin);
  return { pin, key: await keyOf(services, pin) };
}

export async function keyOf(services: Services, pin: Pin): Promise<SubjectKey> {
  const key = await services.keyring.subjectKey(pin.tenant, pin.subject, pin.keyId);
  if (key === null) {
    forgetPin(services, pin);
    throw notFound();
  }
  return key;
}

async function findPin(services: Services, principal: Principal, run: RunId): Promise<Pin | null> {
  const cached = services.caches.pins.get(cacheKey(principal.tenant, run));
  if (cached) return cached;
  const permit = services.policy.resolvePermit(principal, services.clock.now());
  const [[row]] = await services.store.transact(permit, (tx) =>
    tx.commit([findRunPin(permit, run)]),
  );
  if (row === undefined) return null;
  const pin = toPin(row);
  const key = await services.keyring.subjectKey(pin.tenant, pin.subject, pin.keyId);
  if (key === null) return null;
  if (!Buffer.from(row.pinMac).equals(macPin(key, pin))) {
    services.onAlarm({ what: "sealed_value", table: "run", detail: "pin_mac" });
    return null;
  }
  rememberPin(services, pin);
  return pin;
}

function toPin(row: PinRow): Pin {
  return Object.freeze({
    tenant: row.tenantId,
    workspace: row.workspaceId,
    subject: row.subjectId,
    keyId: row.keyId,
    session: row.sessionId,
    run: row.runId,
    ...(row.parentRunId === null ? {} : { parent: row.parentRunId }),
    routeId: row.routeId,
    // The profile is the run's own copy: what the route says by now doesn't matter to it.
    route: Object.freeze({ ...row.definition, memory_profile: Object.freeze(row.profile) }),
    profileHash: row.profileHash,
  });
}

export function rememberPin(services: Services, pin: Pin): void {
  services.caches.pins.set(cacheKey(pin.tenant, pin.run), pin);
}

export function forgetPin(services: Services, pin: Pin): void {
  services.caches.pins.delete(cacheKey(pin.tenant, pin.run));
}

function cacheKey(tenant: string, run: string): string {
  return `${tenant}/${run}`;
}
