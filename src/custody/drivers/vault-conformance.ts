import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { CustodyContent, Vault } from "../content.js";
import { MasterKey } from "../master-key.js";
import {
  keyId,
  MASTER_A,
  MASTER_B,
  type Opener,
  PLACE,
  subjectId,
  tenantId,
} from "./conformance.js";
import { ledgerLine } from "./ledger-conformance.js";

const T = tenantId(1);
const S = subjectId(1);
const masterOf = (hex: string): MasterKey =>
  new MasterKey(createSecretKey(Buffer.from(hex, "hex")).export());

/** A store that is empty, with the opener of its custody. */
export interface TestVault {
  readonly vault: Vault;
  readonly open: Opener;
}

/** What every custody driver guarantees to its operator. */
export function vaultConformance(name: string, fresh: () => Promise<TestVault>): void {
  describe(`vault conformance, ${name}`, () => {
    it("S2-29 what was read of one custody makes another one with the same keys and ledger", async () => {
      const [from, to] = [await fresh(), await fresh()];
      expect(await from.vault.read()).toBeNull();
      const { sealed, head } = await fill(from);
      const content = (await from.vault.read()) as CustodyContent;
      await to.vault.write(content);
      const restored = await to.open({ value: MASTER_A, expect: "existing" });
      expect((await restored.subjectKey(T, S, keyId(1)))?.open(PLACE, sealed)).toBe("kept");
      expect(await restored.subjectKey(T, S, keyId(2))).toBeNull();
      await expect(restored.createSubjectKey(T, S, keyId(2))).rejects.toThrow("never used again");
      expect(await restored.ledger.head(T)).toEqual(head);
      expect(await restored.ledger.append(T, [ledgerLine(9)])).toMatchObject([{ seq: 4 }]);
      await restored.close();
      await expect(to.vault.write(content)).rejects.toMatchObject({ kind: "invalid_input" });
    });

    it("S2-29 a custody whose keys are wrapped anew opens under the new master key alone", async () => {
      const { vault, open } = await fresh();
      const { sealed, head } = await fill({ vault, open });
      const next = masterOf(MASTER_B);
      await vault.rewrap((content) => ({
        ...content,
        check: next.checkValue(content.custodyId),
        keys: content.keys.map((key) => ({
          ...key,
          wrapped:
            key.wrapped &&
            next.wrap(
              content.custodyId,
              key,
              masterOf(MASTER_A).unwrap(content.custodyId, key, key.wrapped),
            ),
        })),
      }));
      await expect(open({ value: MASTER_A })).rejects.toThrow("under another master key");
      const keyring = await open({ value: MASTER_B, expect: "existing" });
      expect((await keyring.subjectKey(T, S, keyId(1)))?.open(PLACE, sealed)).toBe("kept");
      expect(await keyring.subjectKey(T, S, keyId(2))).toBeNull();
      expect(await keyring.ledger.head(T)).toEqual(head);
      await keyring.close();
    });
  });
}

/** A custody with one key, one that was destroyed, and three lines of a ledger. */
async function fill({ open }: TestVault) {
  const keyring = await open({ value: MASTER_A });
  const sealed = (await keyring.createSubjectKey(T, S, keyId(1))).seal(PLACE, "kept");
  await keyring.createSubjectKey(T, S, keyId(2));
  await keyring.ledger.append(T, [1, 2, 3].map(ledgerLine));
  await keyring.ledger.append(tenantId(2), [ledgerLine(4)]);
  await keyring.destroySubjectKey(T, S, keyId(2));
  const head = await keyring.ledger.head(T);
  await keyring.close();
  return { sealed, head };
}
