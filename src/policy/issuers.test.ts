import type { JWK } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { clockAt, ISSUER, makeKeys, SECONDS } from "../../tests/support/tokens.js";
import { createVerifier } from "./credentials.js";
import { type Issuer, parseIssuers } from "./issuers.js";

describe("issuers", () => {
  let keys: readonly JWK[];

  beforeAll(async () => {
    keys = [(await makeKeys("EdDSA")).jwk];
  });

  const good = () => ({
    issuer: ISSUER,
    algorithms: ["EdDSA"],
    jwks: { keys },
    tenants: ["bank-au"],
    kinds: ["human"],
  });

  it.each<[string, string, object]>([
    ["that asserts jobs", "issuers.0.kinds.0", { kinds: ["job"] }],
    ["with a shared secret", "issuers.0.algorithms.0", { algorithms: ["HS256"] }],
    ["without signatures", "issuers.0.algorithms.0", { algorithms: ["none"] }],
    [
      "with a symmetric key",
      "issuers.0.jwks.keys.0.kty",
      { jwks: { keys: [{ kty: "oct", k: "c2VjcmV0" }] } },
    ],
    [
      "with a private key",
      "issuers.0.jwks.keys.0",
      { jwks: { keys: [{ kty: "OKP", crv: "Ed25519", x: "x", d: "d" }] } },
    ],
    ["without tenants", "issuers.0.tenants", { tenants: [] }],
    [
      "with keys over http",
      "issuers.0.jwks_url",
      { jwks: undefined, jwks_url: "http://bank.example/jwks" },
    ],
    [
      "with keys in a file",
      "issuers.0.jwks_url",
      { jwks: undefined, jwks_url: "file:///etc/keys" },
    ],
    ["with two sources of keys", "issuers.0", { jwks_url: "https://bank.example/jwks" }],
    ["with a setting that nobody knows", "issuers.0", { trust: "all" }],
  ])("S5-02 an issuer %s is refused by its field", (_, field, change) => {
    expect(() => parseIssuers([{ ...good(), ...change }])).toThrow(
      expect.objectContaining({ kind: "invalid_input", field }),
    );
  });

  it("S5-02 a file without an issuer is refused: nobody could come in", () => {
    expect(() => parseIssuers([])).toThrow(/`issuers` is no issuer's setting: /);
  });

  it("S5-02 an issuer that stands twice is refused", () => {
    const twice = parseIssuers([good(), good()]);
    expect(() => createVerifier(twice, clockAt(SECONDS))).toThrow(/twice/);
  });

  it("S5-02 an issuer that asserts jobs by a cast is refused", () => {
    const [issuer] = parseIssuers([good()]);
    const cast = { ...issuer, kinds: ["job"] } as unknown as Issuer;
    expect(() => createVerifier([cast], clockAt(SECONDS))).toThrow(/jobs/);
  });
});
