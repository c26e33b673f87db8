import type { JSONWebKeySet } from "jose";
import { z } from "zod";
import { MunimentError } from "../domain/errors.js";

/** Public-key signatures alone: a shared secret could be taken for a public key. */
export const ALGORITHMS = ["EdDSA", "ES256", "RS256"] as const;

/** What a token may say of its caller. `job` is ours alone: no token can say it. */
export const TOKEN_KINDS = ["human", "service", "agent"] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** Who may vouch for callers, with which keys, for which tenants and kinds. */
export interface Issuer {
  readonly issuer: string;
  readonly algorithms: readonly (typeof ALGORITHMS)[number][];
  /** Public keys, inline or where they are fetched from. */
  readonly keys: JSONWebKeySet | URL;
  /** External ids of the tenants that it speaks for. `"any"`: issuers that live in this process. */
  readonly tenants: readonly string[] | "any";
  readonly kinds: readonly TokenKind[];
  /** Oldest token that is taken, in seconds since `iat`. */
  readonly tokenSecondsMax: number;
}

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

const publicKey = z
  .looseObject({ kty: z.enum(["OKP", "EC", "RSA"]) })
  .refine((jwk) => !("d" in jwk), "has a private part");

const jwksUrl = z
  .url()
  .transform((text) => new URL(text))
  .refine(
    (url) => url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname)),
    "must be https",
  );

const issuerConfig = z
  .strictObject({
    issuer: z.string().min(1).max(512),
    algorithms: z.array(z.enum(ALGORITHMS)).min(1),
    jwks: z.strictObject({ keys: z.array(publicKey).min(1).max(32) }).optional(),
    jwks_url: jwksUrl.optional(),
    tenants: z.array(z.string().min(1)).min(1),
    kinds: z.array(z.enum(TOKEN_KINDS)).min(1),
    token_seconds_max: z.int().min(1).max(86_400).default(3_600),
  })
  .refine((config) => (config.jwks === undefined) !== (config.jwks_url === undefined), {
    message: "needs either `jwks` or `jwks_url`",
  });

/** Reads the issuers of a configuration file. Throws `invalid_input` with the field's path, never its value. */
export function parseIssuers(config: unknown): readonly Issuer[] {
  const parsed = z.array(issuerConfig).min(1).safeParse(config);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = ["issuers", ...(issue?.path ?? [])].join(".");
    const what = issue === undefined ? "" : `: ${issue.message}`;
    throw new MunimentError("invalid_input", `\`${field}\` is no issuer's setting${what}`, {
      field,
      cause: parsed.error,
    });
  }
  return parsed.data.map(
    ({ issuer, algorithms, jwks, jwks_url, tenants, kinds, token_seconds_max }) => ({
      issuer,
      algorithms,
      keys: jwks_url ?? { keys: jwks?.keys ?? [] },
      tenants: tenants.map((tenant) => tenant.normalize("NFC")),
      kinds,
      tokenSecondsMax: token_seconds_max,
    }),
  );
}
