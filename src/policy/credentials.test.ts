import { createServer } from "node:http";
import type { JWK, JWTHeaderParameters } from "jose";
import { CompactSign, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { id } from "../../tests/support/policy-question.js";
import {
  clockAt,
  ISSUER,
  type Keys,
  makeKeys,
  REFUSED,
  SECONDS,
} from "../../tests/support/tokens.js";
import { createVerifier } from "./credentials.js";
import { type Issuer, parseIssuers } from "./issuers.js";

const OTHER = "https://clinic.example";

let bank: Keys;
let clinic: Keys;
let issuers: readonly Issuer[];

beforeAll(async () => {
  [bank, clinic] = await Promise.all([makeKeys("EdDSA"), makeKeys("ES256")]);
  issuers = parseIssuers([
    {
      issuer: ISSUER,
      algorithms: ["EdDSA"],
      jwks: { keys: [bank.jwk] },
      tenants: ["bank-au"],
      kinds: ["human", "service"],
    },
    {
      issuer: OTHER,
      algorithms: ["ES256"],
      jwks: { keys: [clinic.jwk] },
      tenants: ["clinic"],
      kinds: ["service", "agent"],
    },
  ]);
});

const CLAIMS = { kind: "service", roles: ["app"], tenant: "bank-au" };

interface Change {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Partial<JWTHeaderParameters>;
  readonly without?: string;
  readonly keys?: Keys;
}

function tokenOf({
  claims = {},
  header = {},
  without = "",
  keys = bank,
}: Change = {}): Promise<string> {
  const payload: Record<string, unknown> = {
    iss: ISSUER,
    aud: "muniment",
    sub: "app-1",
    iat: SECONDS,
    exp: SECONDS + 600,
    ...CLAIMS,
    ...claims,
  };
  delete payload[without];
  return new SignJWT(payload)
    .setProtectedHeader({ alg: keys.jwk.alg ?? "", ...header })
    .sign(keys.privateKey);
}

const verifierAt = (seconds = SECONDS) => createVerifier(issuers, clockAt(seconds));

describe("a credential", () => {
  it("S1-27 a good token gives its claims, typed, with defaults", async () => {
    const claims = await verifierAt().verify(await tokenOf({ without: "roles" }));
    expect(claims).toEqual({
      issuer: ISSUER,
      id: "app-1",
      kind: "service",
      roles: [],
      tenant: "bank-au",
      workspace: "default",
    });
  });

  it("S1-27 the bound subject, session and run come from the token, in NFC", async () => {
    const bound = {
      kind: "human",
      workspace: "retail",
      subject: "zoe\u0308@example.com",
      session: "chat-1",
      run: id("f"),
    };
    expect(await verifierAt().verify(await tokenOf({ claims: bound }))).toMatchObject({
      ...bound,
      subject: "zo\u00eb@example.com",
    });
  });

  it("S1-27 a token of another application's issuer is taken for its own tenants", async () => {
    const claims = { iss: OTHER, kind: "agent", tenant: "clinic" };
    expect(await verifierAt().verify(await tokenOf({ claims, keys: clinic }))).toMatchObject({
      kind: "agent",
    });
  });

  it.each<[string, Change]>([
    ["of an unknown issuer", { claims: { iss: "https://evil.example" } }],
    ["without an issuer", { without: "iss" }],
    ["whose issuer is a list", { claims: { iss: [ISSUER] } }],
    ["for another audience", { claims: { aud: "billing" } }],
    ["without an audience", { without: "aud" }],
    ["without an expiry", { without: "exp" }],
    ["without an issue time", { without: "iat" }],
    ["without a caller", { without: "sub" }],
    ["that expired this second", { claims: { iat: SECONDS - 60, exp: SECONDS } }],
    ["that expired a second ago", { claims: { iat: SECONDS - 60, exp: SECONDS - 1 } }],
    ["from the future", { claims: { iat: SECONDS + 120 } }],
    ["not valid yet", { claims: { nbf: SECONDS + 120 } }],
    [
      "older than an hour, whatever its expiry",
      { claims: { iat: SECONDS - 3_700, exp: SECONDS + 86_400 } },
    ],
    ["of a job", { claims: { kind: "job" } }],
    ["of a kind that its issuer may not assert", { claims: { kind: "agent" } }],
    ["of an unknown kind", { claims: { kind: "root" } }],
    ["without a kind", { without: "kind" }],
    ["without a tenant", { without: "tenant" }],
    ["of another issuer's tenant", { claims: { tenant: "clinic" } }],
    ["of several tenants", { claims: { tenant: ["bank-au", "clinic"] } }],
    ["of no tenant", { claims: { tenant: "" } }],
    ["of any tenant", { claims: { tenant: "*" } }],
    ["with a number as its caller", { claims: { sub: 7 } }],
    ["with roles in one string", { claims: { roles: "app operator" } }],
    [
      "with an entity as a role",
      { claims: { roles: [{ __entity: { type: "Principal", id: "root" } }] } },
    ],
    ["with a null subject", { claims: { subject: null } }],
    ["with an empty subject", { claims: { subject: " " } }],
    ["with a number as its subject", { claims: { subject: 1 } }],
    ["with an object as its subject", { claims: { subject: { $ne: null } } }],
    ["with a session and no subject", { claims: { session: "chat-1" } }],
    ["with a run that is none of our ids", { claims: { run: "run-1" } }],
    ["with an overlong workspace", { claims: { workspace: "w".repeat(257) } }],
    ["that points at its key", { header: { jku: "https://evil.example/jwks.json" } }],
    ["that points at its certificate", { header: { x5u: "https://evil.example/cert" } }],
    ["that carries its certificate", { header: { x5c: ["MIIB"] } }],
    ["of another type", { header: { typ: "dpop+jwt" } }],
  ])("S5-02 a token %s is refused, without a reason", async (_, change) => {
    await expect(verifierAt().verify(await tokenOf(change))).rejects.toThrow(REFUSED);
  });

  it("S5-02 a token that carries its key is refused, by its own key and by the right one", async () => {
    const evil = await makeKeys("EdDSA");
    for (const keys of [evil, bank]) {
      const token = await tokenOf({ keys, header: { jwk: evil.jwk } });
      await expect(verifierAt().verify(token)).rejects.toThrow(REFUSED);
    }
  });

  it("S5-02 a critical header is refused, even one that the library knows", async () => {
    const times = { iat: SECONDS, exp: SECONDS + 600 };
    const claims = { ...CLAIMS, ...times, iss: ISSUER, aud: "muniment", sub: "app-1" };
    const payload = new TextEncoder().encode(JSON.stringify(claims));
    const token = await new CompactSign(payload)
      .setProtectedHeader({ alg: "EdDSA", crit: ["b64"], b64: true })
      .sign(bank.privateKey);
    await expect(verifierAt().verify(token)).rejects.toThrow(REFUSED);
  });

  it("S5-02 an unsigned token is refused", async () => {
    const token = new UnsecuredJWT({ ...CLAIMS, sub: "app-1" })
      .setIssuer(ISSUER)
      .setAudience("muniment")
      .setIssuedAt(SECONDS)
      .setExpirationTime(SECONDS + 600)
      .encode();
    await expect(verifierAt().verify(token)).rejects.toThrow(REFUSED);
  });

  it("S5-02 a public key taken for a shared secret opens nothing", async () => {
    const secret = new TextEncoder().encode(JSON.stringify(bank.jwk));
    const token = await new SignJWT({
      ...CLAIMS,
      iss: ISSUER,
      aud: "muniment",
      sub: "app-1",
      iat: SECONDS,
      exp: SECONDS + 600,
    })
      .setProtectedHeader({ alg: "HS256" })
      .sign(secret);
    await expect(verifierAt().verify(token)).rejects.toThrow(REFUSED);
  });

  it("S5-02 one issuer's key signs nothing for another", async () => {
    const token = await tokenOf({ claims: { iss: ISSUER }, keys: clinic });
    await expect(verifierAt().verify(token)).rejects.toThrow(REFUSED);
    const evil = await makeKeys("EdDSA");
    await expect(verifierAt().verify(await tokenOf({ keys: evil }))).rejects.toThrow(REFUSED);
  });

  it("S5-02 a changed token is refused", async () => {
    const [header = "", payload = "", signature = ""] = (await tokenOf()).split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    const forged = Buffer.from(JSON.stringify({ ...claims, roles: ["operator"] })).toString(
      "base64url",
    );
    await expect(verifierAt().verify([header, forged, signature].join("."))).rejects.toThrow(
      REFUSED,
    );
  });

  it.each(["", "x", "a.b.c", "..", "Bearer x.y.z", "\u0000", "e30.e30.e30", "x".repeat(100_000)])(
    "S5-02 what is no token is refused (%#)",
    async (text) => {
      await expect(verifierAt().verify(text)).rejects.toThrow(REFUSED);
    },
  );
});

describe("a remembered token", () => {
  it("S5-02 stops at its expiry to the second", async () => {
    const clock = clockAt(SECONDS);
    const verifier = createVerifier(issuers, clock);
    const token = await tokenOf({ claims: { exp: SECONDS + 100 } });
    const claims = await verifier.verify(token);
    clock.set(SECONDS + 99);
    expect(await verifier.verify(token)).toBe(claims);
    clock.set(SECONDS + 100);
    await expect(verifier.verify(token)).rejects.toThrow(REFUSED);
  });

  it("S5-02 is checked again after five minutes, so that a withdrawn key doesn't live on", async () => {
    const keys: JWK[] = [bank.jwk];
    const server = createServer((_, response) =>
      response.setHeader("content-type", "application/json").end(JSON.stringify({ keys })),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const address = server.address();
      const port = typeof address === "object" ? address?.port : 0;
      const config = {
        issuer: ISSUER,
        algorithms: ["EdDSA"],
        jwks_url: `http://127.0.0.1:${port}/`,
        tenants: ["bank-au"],
        kinds: ["service"],
      };
      const clock = clockAt(SECONDS);
      const verifier = createVerifier(parseIssuers([config]), clock);
      const token = await tokenOf({ claims: { exp: SECONDS + 3_000 } });
      const claims = await verifier.verify(token);
      clock.set(SECONDS + 299);
      expect(await verifier.verify(token)).toBe(claims);
      clock.set(SECONDS + 300);
      expect(await verifier.verify(token)).not.toBe(claims);
    } finally {
      server.close();
    }
  });

  it("S5-02 doesn't stand in for another one", async () => {
    const verifier = verifierAt();
    await verifier.verify(await tokenOf());
    const bound = await verifier.verify(await tokenOf({ claims: { subject: "cust-1" } }));
    expect(bound.subject).toBe("cust-1");
  });
});
