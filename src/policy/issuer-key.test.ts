import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadIssuerKey } from "./issuer-key.js";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "muniment-issuer-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe("an issuer's key file", () => {
  it("S5-02 is made once, readable by its owner alone", async () => {
    const inside = join(directory, "new");
    const made = await loadIssuerKey(inside, "dev");
    expect((await loadIssuerKey(inside, "dev")).publicJwk).toEqual(made.publicJwk);
    expect((await loadIssuerKey(inside, "run")).publicJwk.kid).not.toBe(made.publicJwk.kid);
    expect(made.publicJwk).not.toHaveProperty("d");
    expect(statSync(join(inside, "dev.jwk")).mode & 0o777).toBe(0o600);
    expect(readdirSync(inside).sort()).toEqual(["dev.jwk", "run.jwk"]);
  });

  it("S5-02 is one key, however many start at once", async () => {
    const keys = await Promise.all(
      Array.from({ length: 12 }, () => loadIssuerKey(directory, "dev")),
    );
    expect(new Set(keys.map((key) => key.publicJwk.x)).size).toBe(1);
    expect(readdirSync(directory)).toEqual(["dev.jwk"]);
  });

  it("S5-02 that others can read is refused", async () => {
    await loadIssuerKey(directory, "dev");
    chmodSync(join(directory, "dev.jwk"), 0o644);
    await expect(loadIssuerKey(directory, "dev")).rejects.toThrow(/0600/);
  });

  it.each(["", "{}", '{"kty":"oct","k":"c2VjcmV0"}'])(
    "S5-02 that holds no key pair is refused (%#)",
    async (text) => {
      writeFileSync(join(directory, "dev.jwk"), text, { mode: 0o600 });
      await expect(loadIssuerKey(directory, "dev")).rejects.toThrow(
        expect.objectContaining({ kind: "internal" }),
      );
    },
  );
});
