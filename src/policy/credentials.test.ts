import { createServer } from "node:http";
import type { CryptoKey, JWK, JWTHeaderParameters } from "jose";
import { CompactSign, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { id, NOW } from "../../tests/support/policy-question.js";
import type { Clock } from "../domain/clock.js";
import { createVerifier } from "./credentials.js";
import { createRunIssuer, devIssuer, issueDevToken } from "./dev-issuer.js";
import { generateIssuerKey } from "./issuer-key.js";
import type { Issuer } from "./issuers.js";
import { parseIssuers } from "./issuers.js";

const ISSUER = "https://bank.example";
const OTHER = "https://clinic.example";
const SECONDS = Math.floor(NOW.getTime() / 1_000);

interface Keys {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function makeKeys(alg: string): Promise<Keys> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), alg } };
}

function clockAt(seconds: number): Clock & { set(to: number): void } {
  let at = seconds;
  return {
    now: () => new Date(at * 1_000),
    set: (to) => {
      at = to;
    },
  };
}

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
const REFUSED = expect.objectContaining({
  kind: "unauthenticated",
  message: "no valid credential",
});

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

describe("issuers", () => {
  const good = () => ({
    issuer: ISSUER,
    algorithms: ["EdDSA"],
    jwks: { keys: [bank.jwk] },
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

describe("tokens of our own", () => {
  const claims = {
    id: "dev",
    kind: "service",
    roles: ["app", "operator"],
    tenant: "bank-au",
    workspace: "default",
  } as const;

  it("S5-02 a development token says what it was made with, for an hour at most", async () => {
    const key = await generateIssuerKey();
    const clock = clockAt(SECONDS);
    const verifier = createVerifier([devIssuer(key)], clock);
    const token = await issueDevToken(key, claims, clock);
    expect(await verifier.verify(token)).toEqual({ ...claims, issuer: "muniment:dev" });
    clock.set(SECONDS + 3_600);
    await expect(verifier.verify(token)).rejects.toThrow(REFUSED);
  });

  it.each([0, -1, 1.5, 3_601, Number.NaN, Number.POSITIVE_INFINITY])(
    "S5-02 a development token doesn't live %d seconds",
    async (seconds) => {
      const key = await generateIssuerKey();
      await expect(issueDevToken(key, claims, clockAt(SECONDS), seconds)).rejects.toThrow(
        expect.objectContaining({ field: "seconds" }),
      );
    },
  );

  it("S5-02 a development token can't be a job", async () => {
    const key = await generateIssuerKey();
    const job = { ...claims, kind: "job" } as unknown as Parameters<typeof issueDevToken>[1];
    const clock = clockAt(SECONDS);
    const token = await issueDevToken(key, job, clock);
    await expect(createVerifier([devIssuer(key)], clock).verify(token)).rejects.toThrow(REFUSED);
  });

  it("S1-36 a run's token is an agent's, in that run and without roles", async () => {
    const clock = clockAt(SECONDS);
    const runIssuer = createRunIssuer(await generateIssuerKey(), clock);
    const run = {
      id: "agent-1",
      tenant: "bank-au",
      workspace: "default",
      subject: "cust-1",
      session: "chat-1",
      run: id<"RunId">("f"),
    };
    const verifier = createVerifier([runIssuer.issuer], clock);
    expect(await verifier.verify(await runIssuer.issue(run))).toEqual({
      ...run,
      issuer: "muniment:run",
      kind: "agent",
      roles: [],
    });
    await expect(runIssuer.issue(run, 3_601)).rejects.toThrow(
      expect.objectContaining({ field: "seconds" }),
    );
  });

  it("S5-02 the run issuer's key makes no development token", async () => {
    const clock = clockAt(SECONDS);
    const [devKey, runKey] = [await generateIssuerKey(), await generateIssuerKey()];
    const verifier = createVerifier(
      [devIssuer(devKey), createRunIssuer(runKey, clock).issuer],
      clock,
    );
    await expect(verifier.verify(await issueDevToken(runKey, claims, clock))).rejects.toThrow(
      REFUSED,
    );
  });
});
