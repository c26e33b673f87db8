import { beforeAll, expect, it } from "vitest";
import { ERASURE_REASONS } from "../../src/domain/erasure.js";
import { mayReturn, RETURN_RULES } from "../../src/domain/erasure-rules.js";
import { trustedId } from "../../src/domain/ids.js";
import type { Permit } from "../../src/domain/permit.js";
import { Unmet } from "../../src/domain/unmet.js";
import {
  listForgottenOf,
  listForgottenParts,
} from "../../src/storage/queries/erasure-list-parts.js";
import { requireUnforgotten } from "../../src/storage/queries/tombstone-find.js";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";
import { permitFor } from "./permits.js";

const TENANT = trustedId<"TenantId">(crypto.randomUUID());
const FORGOTTEN = new Date("2026-03-01T00:00:00Z");
const OBSERVED = [-1, 0, 1].map((ms) => new Date(FORGOTTEN.getTime() + ms));

describeEachDatabase("what may come again, as statements say it", (kind) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await kind.open();
  });

  const forgetItem = (tombstone: string, reason: string) => {
    const mac = crypto.getRandomValues(new Uint8Array(32));
    const values = [TENANT, tombstone, mac, crypto.randomUUID(), reason, FORGOTTEN];
    return database
      .query("insert into muniment.tombstone values ($1, $2, $3, $4, $5, $6, null)", values)
      .then(() => mac);
  };

  const isTaken = (mac: Uint8Array, observedAt: Date) => {
    const permit = permitFor({ tenant: TENANT });
    return database.store
      .transact(permit, (tx) => tx.commit([requireUnforgotten(permit, [{ mac, observedAt }])]))
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof Unmet && error.code === "item_erased") return false;
          throw error;
        },
      );
  };

  it.each(ERASURE_REASONS)(
    "S5-10 after %s a source is refused just where the rule says",
    async (reason) => {
      for (const tombstone of ["item", "ahead"]) {
        const mac = await forgetItem(tombstone, reason);
        const rule = { kind: tombstone, reason, recordedAt: FORGOTTEN };
        for (const observedAt of OBSERVED)
          expect(await isTaken(mac, observedAt)).toBe(mayReturn(rule, observedAt));
      }
    },
  );

  it.each(ERASURE_REASONS)(
    "S5-10 after %s an archive's lines are held to it just where something is known again",
    async (reason) => {
      const subject = trustedId<"SubjectId">(crypto.randomUUID());
      const target = crypto.randomUUID();
      await database.query(
        `insert into muniment.erasure
         (tenant_id, erasure_id, subject_id, subject_mac, reason, basis, scope, target, state, requested_at, removed)
       values ($1, gen_random_uuid(), $2, '', $3, 'clean_up', 'source', $4, 'closed', $5, '{}')`,
        [TENANT, subject, reason, target, FORGOTTEN],
      );
      const own = permitFor({ tenant: TENANT, subject });
      const wide = permitFor({ tenant: TENANT }, "resolve") as Permit<"resolve">;
      const [parts] = await database.store.transact(own, (tx) =>
        tx.commit([listForgottenParts(own, [target])]),
      );
      const [elsewhere] = await database.store.transact(wide, (tx) =>
        tx.commit([listForgottenOf(wide, subject, [target])]),
      );
      const isKnown = RETURN_RULES[reason].knownBy.length > 0;
      expect([parts.length, elsewhere.length]).toEqual(isKnown ? [1, 1] : [0, 0]);
    },
  );
});
