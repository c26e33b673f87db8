import { uuidv7 } from "uuidv7";
import { must } from "../domain/errors.js";
import { trustedId } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import type { SubjectKey } from "../domain/keyring.js";
import { Unmet } from "../domain/unmet.js";
import { readRotation, setRotation } from "../storage/queries/key-rotation.js";
import { followLedger } from "../storage/queries/ledger-head.js";
import { askedPerson } from "./asked-person.js";
import type { Caller } from "./caller.js";
import { lockLive } from "./forget-scope.js";
import { govern } from "./govern.js";
import { rotateKeyInput } from "./inputs/erasure.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply, Operation } from "./operation.js";
import { isUnderOlder, reseal } from "./reseal.js";
import { keptUntil, rotationLine } from "./rotations.js";
import type { Services } from "./services.js";
import type { KnownSubject } from "./subjects.js";

export interface RotateKeyReply {
  readonly subject_id: string;
  /** Of the key that seals now; the first is 1. */
  readonly key_version: number;
  /** `sealing` while something is left under an older key: ask again, or leave it to the background of `serve`. */
  readonly state: "sealing" | "sealed";
  /** Rows that this request sealed anew. */
  readonly resealed: number;
  /** When the older keys are destroyed. */
  readonly older_until: string;
  readonly decision: DecisionReply;
}

/**
 * Gives a person a new data key and seals what there is anew under it, while others read and write. Asked again before that
 * is done, it goes on. The older keys stay as long as backups of before may be needed, and are then destroyed.
 */
export function rotateKey(
  services: Services,
  caller: Caller,
  subjectId: string,
  body: unknown,
): Promise<RotateKeyReply> {
  return govern(services, caller, "rotate_key", async (op) => {
    parseInput(rotateKeyInput, body);
    const externalId = parseExternalId(subjectId, "subject");
    const known = await askedPerson(op, externalId);
    const { key, rotatedAt } = await newestKey(op, known, externalId);
    const { rows, isDone } = await reseal(op, key);
    return {
      subject_id: known.subject,
      key_version: key.version,
      state: isDone ? "sealed" : "sealing",
      resealed: rows,
      older_until: keptUntil(services, rotatedAt).toISOString(),
      decision: op.decision(),
    };
  });
}

/** The key of a rotation that isn't done yet, or else a new one. */
async function newestKey(
  op: Operation<"rotate_key">,
  { subject, keyId }: KnownSubject,
  externalId: string,
): Promise<{ readonly key: SubjectKey; readonly rotatedAt: Date }> {
  const { services, caller } = op;
  const { keyring } = services;
  const { tenant } = caller.principal;
  const permit = op.permit({ type: "memory", subject, keyId }, {});
  const subjectMac = (await keyring.ledger.key(tenant)).mac("subject", externalId);
  return await services.store.transact(permit, async (tx) => {
    await lockLive(tx, permit);
    const [[standing]] = await tx.send([readRotation(permit)]);
    keyring.refreshSubjectKey({ tenant, subject, keyId });
    const before = await keyring.subjectKey(tenant, subject, keyId);
    if (before === null) throw new Unmet("subject_gone");
    const rotatedAt = standing?.rotatedAt ?? null;
    if (rotatedAt !== null && (await isUnderOlder(services, tx, permit, before))) {
      await tx.commit([op.audit(permit, { reads: [{ kind: "subject_key", ids: [subject] }] })]);
      return { key: before, rotatedAt };
    }
    // In the ledger first: broken off here, the next look into it has the background go on.
    const rotationId = trustedId<"ErasureId">(uuidv7());
    const keyVersion = before.version + 1;
    const line = rotationLine({
      rotationId,
      subject,
      keyId,
      subjectMac,
      keyVersion,
      at: op.now,
    });
    const [entry] = await keyring.ledger.append(tenant, [line]);
    const key = await keyring.rotateSubjectKey(tenant, subject, keyId);
    if (key === null) throw new Unmet("subject_gone");
    await tx.commit([
      setRotation(permit, op.now),
      followLedger(permit, must(entry, "line of the ledger")),
      op.audit(permit, { writes: [{ kind: "subject_key", ids: [subject] }] }),
    ]);
    return { key, rotatedAt: op.now };
  });
}
