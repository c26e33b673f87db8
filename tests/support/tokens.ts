import { type CryptoKey, exportJWK, generateKeyPair, type JWK } from "jose";
import { expect } from "vitest";
import type { Clock } from "../../src/domain/clock.js";
import { NOW } from "./policy-question.js";

export const ISSUER = "https://bank.example";
export const SECONDS = Math.floor(NOW.getTime() / 1_000);
export const REFUSED = expect.objectContaining({
  kind: "unauthenticated",
  message: "no valid credential",
});

export interface Keys {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export async function makeKeys(alg: string): Promise<Keys> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), alg } };
}

export function clockAt(seconds: number): Clock & { set(to: number): void } {
  let at = seconds;
  return {
    now: () => new Date(at * 1_000),
    set: (to) => {
      at = to;
    },
  };
}
