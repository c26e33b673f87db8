import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { CryptoKey, JWK } from "jose";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from "jose";
import { z } from "zod";
import { codeOf, MunimentError } from "../domain/errors.js";

/** An Ed25519 key pair that signs tokens. */
export interface IssuerKey {
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

const storedKey = z.strictObject({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string(),
  d: z.string(),
});

async function makeJwk(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  return exportJWK(privateKey);
}

async function keyOf(jwk: unknown): Promise<IssuerKey> {
  const { kty, crv, x, d } = storedKey.parse(jwk);
  const kid = await calculateJwkThumbprint({ kty, crv, x });
  const privateKey = await importJWK({ kty, crv, x, d }, "EdDSA");
  if (privateKey instanceof Uint8Array)
    throw new MunimentError("internal", "an issuer's key is no key pair");
  return { privateKey, publicJwk: { kty, crv, x, kid, alg: "EdDSA", use: "sig" } };
}

/** A key that lives as long as this process. */
export async function generateIssuerKey(): Promise<IssuerKey> {
  return keyOf(await makeJwk());
}

/** Writes the whole file under another name first, so that a process starting beside us never reads half a key. */
async function createKeyFile(directory: string, path: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(JSON.stringify(await makeJwk()));
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    await unlink(draft);
  }
}

async function readKeyFile(path: string): Promise<IssuerKey | null> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new MunimentError(
        "internal",
        "an issuer's key file is open to others: set its mode to 0600",
      );
    }
    return await keyOf(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    if (error instanceof MunimentError) throw error;
    throw new MunimentError("internal", "an issuer's key file isn't readable", { cause: error });
  }
}

/** The key in `DIRECTORY/NAME.jwk` (mode 0600), made at first use; safe when several processes start at once. */
export async function loadIssuerKey(directory: string, name: string): Promise<IssuerKey> {
  const path = join(directory, `${name}.jwk`);
  const known = await readKeyFile(path);
  if (known !== null) return known;
  await createKeyFile(directory, path);
  const made = await readKeyFile(path);
  if (made === null) throw new MunimentError("internal", "an issuer's key file vanished");
  return made;
}
