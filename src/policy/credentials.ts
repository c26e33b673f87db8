import { createHash } from "node:crypto";
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  jwtVerify,
} from "jose";
import { LRUCache } from "lru-cache";
import type { Clock } from "../domain/clock.js";
import { assert, MunimentError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { Claims } from "../domain/principal.js";
import type { Issuer } from "./issuers.js";
import { AUDIENCE, parseTokenClaims } from "./token-claims.js";

/** Longer ones are refused before they cost anything; real ones have about 1,000 characters. */
const TOKEN_CHARS_MAX = 8_192;
/** How far an issuer's clock may be ahead of ours, for `iat` and `nbf`. `exp` gets no such grace. */
const SKEW_SECONDS = 30;
/** A key that its issuer withdraws is still taken for this long at most. */
const VERIFIED_SECONDS_MAX = 300;
/** Headers that bring a key along, point at one, or change the rules. */
const HEADERS_REFUSED = ["jku", "jwk", "x5u", "x5c", "crit"];
const TYPES = new Set<unknown>([undefined, "JWT", "at+jwt"]);

export interface Verifier {
  /** Throws `unauthenticated` for whatever is wrong with the token: the caller isn't told which check failed. */
  verify(token: string): Promise<Claims>;
}

interface Trusted {
  readonly issuer: Issuer;
  readonly key: JWTVerifyGetKey;
}

interface Verified {
  readonly claims: Claims;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The operator's log names the check that failed; it holds nothing of the token. */
function failed(check: string): MunimentError {
  return unauthenticated(new MunimentError("unauthenticated", check));
}

function unauthenticated(cause: unknown): MunimentError {
  return new MunimentError("unauthenticated", "no valid credential", { cause });
}

function trust(issuers: readonly Issuer[]): ReadonlyMap<string, Trusted> {
  const trusted = new Map<string, Trusted>();
  for (const issuer of issuers) {
    assert(!trusted.has(issuer.issuer), "an issuer is configured twice");
    assert(!(issuer.kinds as readonly string[]).includes("job"), "an issuer may not assert jobs");
    const key =
      issuer.keys instanceof URL ? createRemoteJWKSet(issuer.keys) : createLocalJWKSet(issuer.keys);
    trusted.set(issuer.issuer, { issuer, key });
  }
  return trusted;
}

function millisecondsUntil(payload: JWTPayload, issuer: Issuer, now: Date): number {
  const { exp = 0, iat = 0 } = payload;
  const seconds = Math.min(
    exp,
    iat + issuer.tokenSecondsMax,
    now.getTime() / 1_000 + VERIFIED_SECONDS_MAX,
  );
  return seconds * 1_000;
}

async function check(
  token: string,
  trusted: ReadonlyMap<string, Trusted>,
  now: Date,
): Promise<Verified> {
  const header = decodeProtectedHeader(token);
  if (HEADERS_REFUSED.some((name) => name in header) || !TYPES.has(header.typ))
    throw failed("header refused");
  // Read before the signature is checked, and only to choose whose key must fit it.
  const named = trusted.get(decodeJwt(token).iss ?? "");
  if (named === undefined) throw failed("unknown issuer");
  const { issuer, key } = named;
  const { payload } = await jwtVerify(token, key, {
    issuer: issuer.issuer,
    audience: AUDIENCE,
    algorithms: [...issuer.algorithms],
    requiredClaims: ["exp", "iat", "sub"],
    maxTokenAge: issuer.tokenSecondsMax,
    clockTolerance: SKEW_SECONDS,
    currentDate: now,
  });
  const claims = parseTokenClaims(payload, issuer);
  const until = millisecondsUntil(payload, issuer, now);
  if (claims === null) throw failed("claims not of this issuer");
  if (until <= now.getTime()) throw failed("expired");
  return { claims, until };
}

export function createVerifier(issuers: readonly Issuer[], clock: Clock): Verifier {
  const trusted = trust(issuers);
  const verified = new LRUCache<string, Verified>({ max: LIMITS.cacheEntriesMax });

  return {
    verify: async (token) => {
      if (token.length > TOKEN_CHARS_MAX) throw failed("token too long");
      const digest = createHash("sha256").update(token).digest("base64");
      const now = clock.now();
      const known = verified.get(digest);
      if (known !== undefined && known.until > now.getTime()) return known.claims;
      verified.delete(digest);
      try {
        const fresh = await check(token, trusted, now);
        verified.set(digest, fresh);
        return fresh.claims;
      } catch (error) {
        throw error instanceof MunimentError && error.kind === "unauthenticated"
          ? error
          : unauthenticated(error);
      }
    },
  };
}
