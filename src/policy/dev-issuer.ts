import { SignJWT } from "jose";
import type { Clock } from "../domain/clock.js";
import { MunimentError } from "../domain/errors.js";
import type { RunId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Claims } from "../domain/principal.js";
import type { IssuerKey } from "./issuer-key.js";
import type { Issuer, TokenKind } from "./issuers.js";
import { TOKEN_KINDS } from "./issuers.js";
import { AUDIENCE } from "./token-claims.js";

const DEV = "muniment:dev";
const RUN = "muniment:run";

/** What a development token says. Ids are external, `run` is ours. */
export type DevClaims = Omit<Claims, "issuer" | "kind"> & { readonly kind: TokenKind };

/** What a run's own token says: one agent in one run, and nothing wider. */
export interface RunClaims {
  readonly id: string;
  readonly tenant: string;
  readonly workspace: string;
  readonly subject?: string;
  readonly session?: string;
  readonly run: RunId;
}

export interface RunIssuer {
  readonly issuer: Issuer;
  /** A new token for a new run; at most an hour. */
  issue(claims: RunClaims, seconds?: number): Promise<string>;
}

function ownIssuer(issuer: string, key: IssuerKey, kinds: readonly TokenKind[]): Issuer {
  return {
    issuer,
    algorithms: ["EdDSA"],
    keys: { keys: [key.publicJwk] },
    tenants: "any",
    kinds,
    tokenSecondsMax: LIMITS.tokenSecondsMax,
  };
}

async function sign(
  issuer: string,
  key: IssuerKey,
  claims: Omit<Claims, "issuer">,
  clock: Clock,
  seconds: number,
): Promise<string> {
  if (!Number.isSafeInteger(seconds) || seconds < 1 || seconds > LIMITS.tokenSecondsMax) {
    throw new MunimentError(
      "invalid_input",
      `a token lives 1 to ${LIMITS.tokenSecondsMax} seconds`,
      {
        field: "seconds",
      },
    );
  }
  const { id, kind, roles, tenant, workspace, subject, session, run } = claims;
  const now = Math.floor(clock.now().getTime() / 1_000);
  return new SignJWT({ kind, roles: [...roles], tenant, workspace, subject, session, run })
    .setProtectedHeader({ alg: "EdDSA", typ: "JWT", kid: key.publicJwk.kid ?? "" })
    .setIssuer(issuer)
    .setAudience(AUDIENCE)
    .setSubject(id)
    .setIssuedAt(now)
    .setExpirationTime(now + seconds)
    .sign(key.privateKey);
}

/** The issuer behind development tokens. Only for a service that listens on loopback. */
export function devIssuer(key: IssuerKey): Issuer {
  return ownIssuer(DEV, key, TOKEN_KINDS);
}

/** A development token. Throws `invalid_input` where it would outlive an hour. */
export function issueDevToken(
  key: IssuerKey,
  claims: DevClaims,
  clock: Clock,
  seconds: number = LIMITS.tokenSecondsMax,
): Promise<string> {
  return sign(DEV, key, claims, clock, seconds);
}

/** Issues the downscoped tokens that runs hand to their agents. */
export function createRunIssuer(key: IssuerKey, clock: Clock): RunIssuer {
  return {
    issuer: ownIssuer(RUN, key, ["agent"]),
    issue: (claims, seconds = LIMITS.tokenSecondsMax) =>
      sign(RUN, key, { ...claims, kind: "agent", roles: [] }, clock, seconds),
  };
}
