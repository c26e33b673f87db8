import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { SignJWT } from "jose";
import { beforeAll, expect, it } from "vitest";
import { generateIssuerKey, type IssuerKey } from "../../src/policy/issuer-key.js";
import { JANE, MAIN, plant, putChat, SENTINEL, type Target } from "./bank.js";
import { DOORS, type DoorIds, pathOf } from "./door.js";
import { describeEachPlace } from "./place.js";
import { type Answer, APP, kindOf, type Service } from "./service.js";

const ISSUER = "https://login.example.com";
const CLAIMS = { kind: "service", roles: ["app"], tenant: "bank-au", workspace: "default" };

interface Signing {
  readonly claims?: object;
  readonly header?: object;
  readonly key?: IssuerKey;
  readonly issuer?: string;
  readonly audience?: string;
  /** Seconds from now; null for none. */
  readonly expires?: number | null;
  readonly issuedAgo?: number;
}

describeEachPlace("configured issuers", (doors) => {
  let service: Service;
  let target: Target;
  let key: IssuerKey;
  let stranger: IssuerKey;

  beforeAll(async () => {
    [key, stranger] = [await generateIssuerKey(), await generateIssuerKey()];
    const place = await doors.place();
    const first = await doors.serve(place);
    await putChat(first);
    target = await plant(first);
    await first.end("SIGTERM");
    const file = `${place.dir}.issuers.json`;
    const jwks = { keys: [key.publicJwk] };
    writeFileSync(
      file,
      JSON.stringify([
        { issuer: ISSUER, algorithms: ["EdDSA"], jwks, tenants: ["bank-au"], kinds: ["service"] },
      ]),
    );
    service = await doors.serve(place, { MUNIMENT_ISSUERS_FILE: file });
  });

  function sign(signing: Signing = {}): Promise<string> {
    const {
      claims = {},
      header = {},
      issuer = ISSUER,
      audience = "muniment",
      expires = 600,
    } = signing;
    const signer = signing.key ?? key;
    const now = Math.floor(Date.now() / 1_000) - (signing.issuedAgo ?? 0);
    const token = new SignJWT({ ...CLAIMS, ...claims })
      .setProtectedHeader({ alg: "EdDSA", kid: signer.publicJwk.kid ?? "", ...header })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject("app")
      .setIssuedAt(now);
    if (expires !== null) token.setExpirationTime(now + expires);
    return token.sign(signer.privateKey);
  }

  function forge(header: object, signature: (text: string) => string): string {
    const now = Math.floor(Date.now() / 1_000);
    const payload = {
      ...CLAIMS,
      iss: ISSUER,
      aud: "muniment",
      sub: "app",
      iat: now,
      exp: now + 600,
    };
    const text = [header, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    return `${text}.${signature(text)}`;
  }

  const read = (token: string): Promise<Answer> =>
    service.ask("GET", `/v1/runs/${target.run}`, { token });

  function isClosed(answer: Answer): void {
    expect([answer.status, kindOf(answer)]).toEqual([401, "unauthenticated"]);
    expect(answer.text + JSON.stringify(answer.headers)).not.toContain(SENTINEL);
  }

  it("S5-14 takes a token of the issuer for its own tenant", async () => {
    expect((await read(await sign())).status).toBe(200);
  });

  it("S5-14 S1-04 closes every door to the issuer's token for a tenant that it doesn't speak for", async () => {
    const token = await sign({ claims: { tenant: "bank-nz" } });
    const at: DoorIds = { ...target, subject: JANE, session: MAIN };
    for (const { operation, body } of DOORS) {
      const path = pathOf(operation.path, at);
      const sent = body === undefined ? {} : { body: body(at) };
      isClosed(await service.ask(operation.method, path, { token, ...sent }));
    }
  });

  const bad: readonly (readonly [string, () => Promise<string> | string])[] = [
    [
      "an issuer that nobody configured",
      () => sign({ issuer: "https://evil.example.com", key: stranger }),
    ],
    ["another key under the issuer's name", () => sign({ key: stranger })],
    ["a development token", () => service.token(APP)],
    ["a kind that the issuer may not assert", () => sign({ claims: { kind: "human" } })],
    ["a job", () => sign({ claims: { kind: "job" } })],
    ["another audience", () => sign({ audience: "else" })],
    ["no expiry", () => sign({ expires: null })],
    ["an expiry that is over", () => sign({ issuedAgo: 700 })],
    ["an older token than the issuer's bound", () => sign({ issuedAgo: 3_700, expires: 9_000 })],
    ["a token from the future", () => sign({ issuedAgo: -600 })],
    ["a key in the header", () => sign({ key: stranger, header: { jwk: {} } })],
    ["a place of keys in the header", () => sign({ header: { jku: "http://127.0.0.1:1/" } })],
    ["an empty subject", () => sign({ claims: { subject: "" } })],
    ["a blank subject", () => sign({ claims: { subject: " " } })],
    ["a subject that is a list", () => sign({ claims: { subject: ["jane", "tom"] } })],
    ["a subject that is a query", () => sign({ claims: { subject: { $ne: null } } })],
    ["a tenant that is `true`", () => sign({ claims: { tenant: true } })],
    ["no tenant", () => sign({ claims: { tenant: undefined } })],
    ["a session without a subject", () => sign({ claims: { session: MAIN } })],
    ["a run that is no id", () => sign({ claims: { run: "*" } })],
    ["no signature", () => forge({ alg: "none" }, () => "")],
    [
      "the public key as a shared secret",
      () =>
        forge({ alg: "HS256", kid: key.publicJwk.kid }, (text) =>
          createHmac("sha256", JSON.stringify(key.publicJwk)).update(text).digest("base64url"),
        ),
    ],
  ];

  it.each(bad)("S5-14 S1-04 is closed to %s", async (_name, token) => {
    isClosed(await read(await token()));
  });

  it("S1-09 an agent's own token is the service's, and keeps to its run", async () => {
    const at = `/v1/subjects/tom/sessions/s/runs`;
    const body = { route_id: "chat", goal: "Mine" };
    const started = await service.ask("POST", at, { token: await sign(), body });
    const { run_id: run, run_token: token } = started.json<{ run_id: string; run_token: string }>();
    expect((await service.ask("GET", `/v1/runs/${run}`, { token })).status).toBe(200);
    expect((await read(token)).status).toBe(404);
  });
});
