import { uuidv7 } from "uuidv7";
import { must, notFound } from "../domain/errors.js";
import { invalid } from "../domain/fields.js";
import { trustedId } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import type { Permit } from "../domain/permit.js";
import { findStandingHold, insertHold } from "../storage/queries/hold.js";
import { followLedger } from "../storage/queries/ledger-head.js";
import type { Transaction } from "../storage/store.js";
import { askedPerson } from "./asked-person.js";
import type { Caller } from "./caller.js";
import { lockLive } from "./forget-scope.js";
import { govern } from "./govern.js";
import { type HoldReply, holdLine, toHoldReply } from "./holds.js";
import { type PlaceHoldInput, placeHoldInput } from "./inputs/erasure.js";
import { parseInput } from "./inputs/parse.js";
import { findNarrowTarget } from "./narrow-targets.js";
import { refuseBegun } from "./open-intents.js";
import type { DecisionReply, Operation } from "./operation.js";
import type { Services } from "./services.js";
import type { KnownSubject } from "./subjects.js";

export interface PlaceHoldReply extends HoldReply {
  readonly decision: DecisionReply;
}

/**
 * Forbids to forget a person, or something of them, until the hold is released. In the ledger first, so that a restored
 * database has it too. Asked for again, it answers with the hold that stands.
 */
export function placeHold(
  services: Services,
  caller: Caller,
  subjectId: string,
  body: unknown,
): Promise<PlaceHoldReply> {
  return govern(services, caller, "place_hold", async (op) => {
    const input = parseInput(placeHoldInput, body);
    if ((input.covers === "subject") !== (input.target === undefined))
      throw invalid("target", "goes with something narrower than a subject, and only then");
    const externalId = parseExternalId(subjectId, "subject");
    const { tenant, ref } = caller.principal;
    const { ledger } = services.keyring;
    const known = await askedPerson(op, externalId);
    const { subject, keyId } = known;
    const permit = op.permit({ type: "memory", subject, keyId }, {});
    const subjectMac = (await ledger.key(tenant)).mac("subject", externalId);
    return await services.store.transact(permit, async (tx) => {
      await lockLive(tx, permit);
      await refuseBegun(services, tx, permit);
      const target = await targetOf(op, tx, permit, known, input);
      const [[standing]] = await tx.send([findStandingHold(permit, input.covers, target)]);
      const hold = standing ?? {
        holdId: trustedId<"HoldId">(uuidv7()),
        subjectId: subject,
        subjectMac,
        basis: input.basis,
        scope: input.covers,
        target,
        placedAt: op.now,
        releasedAt: null,
      };
      const touched = [{ kind: "hold", ids: [hold.holdId] }];
      if (standing === undefined) {
        const [line] = await ledger.append(tenant, [holdLine(hold, "hold", op.now)]);
        await tx.commit([
          insertHold(permit, { ...hold, placedBy: ref }),
          followLedger(permit, must(line, "line of the ledger")),
          op.audit(permit, { writes: touched }),
        ]);
      } else await tx.commit([op.audit(permit, { reads: touched })]);
      return { ...toHoldReply(hold), decision: op.decision() };
    });
  });
}

async function targetOf(
  op: Operation<"place_hold">,
  tx: Transaction,
  permit: Permit,
  known: KnownSubject,
  { covers, target }: PlaceHoldInput,
): Promise<string> {
  if (covers === "subject" || target === undefined) return known.subject;
  const wanted = { scope: covers, named: target };
  const found = await findNarrowTarget(op.services, tx, permit, known, wanted);
  if (found?.isThere === true) return found.target;
  await op.foreign(target);
  throw notFound();
}
