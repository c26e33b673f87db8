import { describe, expect, it } from "vitest";
import { keyId, MASTER_A, MASTER_B, type Opener, subjectId, tenantId } from "./conformance.js";

const T = tenantId(1);
const S = subjectId(1);
const K = keyId(1);

/** What every custody driver says when it is opened, and once it is closed. `fresh` gives the opener of a new, empty store. */
export function openingConformance(name: string, fresh: () => Promise<Opener>): void {
  describe(`custody opening conformance, ${name}`, () => {
    it("S2-29 another master key is refused at open, and the right one still works", async () => {
      const open = await fresh();
      const first = await open({ value: MASTER_A });
      const { custodyId } = first;
      await first.close();
      await expect(open({ value: MASTER_B })).rejects.toThrow(
        "this custody was made under another master key",
      );
      const again = await open({ value: MASTER_A });
      expect(again.custodyId).toBe(custodyId);
      await again.close();
    });

    it("S2-29 an absent custody that is expected refuses, and makes nothing", async () => {
      const open = await fresh();
      await expect(open({ expect: "existing" })).rejects.toMatchObject({ kind: "unavailable" });
      await expect(open({ expect: "existing" })).rejects.toThrow(
        /is (absent or )?empty.*restore it/,
      );
      const made = await open({ expect: "new-or-existing" });
      await made.close();
    });

    it("S2-29 a custody that has held a key is never taken for a new one", async () => {
      const open = await fresh();
      const first = await open();
      expect(await first.isEmpty()).toBe(true);
      await first.createSubjectKey(T, S, K);
      expect(await first.isEmpty()).toBe(false);
      await first.destroySubjectKey(T, S, K);
      await first.close();
      const second = await open({ expect: "existing" });
      expect(await second.isEmpty()).toBe(false);
      await second.close();
    });

    it("S2-29 every custody has an id of its own", async () => {
      const [one, two] = [await (await fresh())(), await (await fresh())()];
      expect(one.custodyId).not.toBe(two.custodyId);
      await Promise.all([one.close(), two.close()]);
    });

    it("S2-29 a closed custody gives no keys, cached ones included", async () => {
      const open = await fresh();
      const keyring = await open();
      await keyring.createSubjectKey(T, S, K);
      await Promise.all([keyring.close(), keyring.close()]);
      await expect(keyring.subjectKey(T, S, K)).rejects.toMatchObject({ kind: "unavailable" });
      await expect(keyring.createSubjectKey(T, S, K)).rejects.toMatchObject({
        kind: "unavailable",
      });
      await expect(keyring.tenantKey(T)).rejects.toMatchObject({ kind: "unavailable" });
      await expect(keyring.destroySubjectKey(T, S, K)).rejects.toMatchObject({
        kind: "unavailable",
      });
    });
  });
}
