import { MunimentError, notFound } from "../domain/errors.js";
import { isUuid, type PromotionId, trustedId } from "../domain/ids.js";
import { Unmet } from "../domain/unmet.js";
import { fitsSchema } from "../domain/value-rules.js";
import { findFieldValue, type ValueVersionRow } from "../storage/queries/field-value-find.js";
import { findPromotion, type PromotionRow } from "../storage/queries/promotion-find.js";
import { requireUnpurged } from "../storage/queries/reach-delete-whole.js";
import { readSubject } from "../storage/queries/subject-read.js";
import type { Caller } from "./caller.js";
import { definitionInPath } from "./definitions.js";
import { openValue } from "./field-values.js";
import { govern } from "./govern.js";
import { findRepeat, keepReply, makeRepeatable, refuseRepeat } from "./idempotency.js";
import { revertPromotionInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import type { Operation } from "./operation.js";
import type { Services } from "./services.js";
import { type KnownStore, knownStore } from "./stores.js";
import { proposeAndPromote, type WrittenReply } from "./value-writing.js";

/**
 * Takes a decision back by a new one: what stood before it stands again, or nothing does where nothing stood. Only the
 * decision whose value stands now can be taken back.
 */
export function revertPromotion(
  services: Services,
  caller: Caller,
  id: string,
  body: unknown,
): Promise<WrittenReply> {
  return govern(services, caller, "revert_promotion", async (op) => {
    parseInput(revertPromotionInput, body);
    const { row, subject, resource } = await promotionOf(op, id);
    const { key } = subject;
    const definition = await definitionInPath(op, row.fieldId);
    makeRepeatable(op, key, [row.promotionId, body]);
    const permit = op.permit(resource, { field: definition });
    const { fieldId, sessionKey } = row;
    const version = row.oldVersion ?? 0;
    return await services.store.transact(permit, async (tx) => {
      const [[live], [old], seen] = await tx.send([
        readSubject(permit),
        findFieldValue(permit, { fieldId, sessionKey, version }),
        ...findRepeat(op, permit),
      ]);
      refuseRepeat(seen);
      if (live === undefined) throw new Unmet("subject_gone");
      if (old === undefined && row.oldVersion !== null) throw notFound();
      const value = old === undefined ? null : openValue(key, old, old.valueSealed);
      if (value !== null && !fitsSchema(definition.value_schema, value)) throw outgrown();
      const origin = sourceOf(old);
      const { promotionId, statements, writes, ttl } = proposeAndPromote(
        op,
        permit,
        { definition, key, sessionKey, origin, value },
        {
          path: "human",
          rule: "revert",
          reverts: row.promotionId,
          expectedVersion: row.version,
        },
      );
      const reply = { field_id: fieldId, promotion_id: promotionId, decision: op.decision() };
      await tx.commit([
        ...keepReply(op, permit, reply),
        ...statements,
        // What stood before may have been forgotten since it was read.
        requireUnpurged(permit, live.purgeRevision),
        op.audit(permit, { writes, ttl }),
      ]);
      return reply;
    });
  });
}

/** Whoever vouched for the earlier value does so still. That there is none any more, the person who reverts says. */
function sourceOf(old: ValueVersionRow | undefined): ValueVersionRow["source"] {
  return old === undefined || old.removed ? "human_agent" : old.source;
}

function outgrown(): MunimentError {
  return new MunimentError(
    "version_conflict",
    "the field was defined anew since and doesn't take the earlier value: propose another one",
  );
}

async function promotionOf(
  op: Operation<"revert_promotion">,
  id: string,
): Promise<KnownStore & { readonly row: PromotionRow }> {
  const { services, caller } = op;
  const row = isUuid(id) ? await findRow(op, trustedId<"PromotionId">(id)) : undefined;
  const key =
    row && (await services.keyring.subjectKey(caller.principal.tenant, row.subjectId, row.keyId));
  if (row === undefined || key === undefined || key === null) {
    await op.foreign(id);
    throw notFound();
  }
  const subject = { subject: row.subjectId, keyId: row.keyId, key };
  return { ...knownStore(op, subject, row.workspaceId), row };
}

async function findRow(
  { services, caller }: Operation<"revert_promotion">,
  promotion: PromotionId,
): Promise<PromotionRow | undefined> {
  const permit = services.policy.resolvePermit(caller.principal, services.clock.now());
  const [[row]] = await services.store.transact(permit, (tx) =>
    tx.commit([findPromotion(permit, promotion)]),
  );
  return row;
}
