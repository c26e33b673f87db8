import { z } from "zod";
import { isUuid } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import type { Claims } from "../domain/principal.js";
import type { Issuer } from "./issuers.js";
import { TOKEN_KINDS } from "./issuers.js";

/** The one audience that we answer to. */
export const AUDIENCE = "muniment";

const DEFAULT_WORKSPACE = "default";

const externalId = z.string().transform((value, context) => {
  try {
    return parseExternalId(value, "claim");
  } catch {
    context.addIssue({ code: "custom", message: "no external id" });
    return z.NEVER;
  }
});

// Other claims of a token (iat, jti, scope...) say nothing to us and are left alone.
const tokenClaims = z
  .object({
    sub: externalId,
    kind: z.enum(TOKEN_KINDS),
    roles: z
      .array(z.string().regex(/^[a-z][a-z_]{0,31}$/))
      .max(16)
      .default([]),
    tenant: externalId,
    workspace: externalId.default(DEFAULT_WORKSPACE),
    subject: externalId.optional(),
    session: externalId.optional(),
    run: z.string().refine(isUuid).optional(),
  })
  // Session ids are unique within a subject and workspace only.
  .refine((claims) => claims.session === undefined || claims.subject !== undefined);

/** The claims of a token whose signature holds, or null where they say what the issuer may not say. */
export function parseTokenClaims(payload: unknown, issuer: Issuer): Claims | null {
  const parsed = tokenClaims.safeParse(payload);
  if (!parsed.success) return null;
  const { sub, kind, roles, tenant, workspace, subject, session, run } = parsed.data;
  if (!issuer.kinds.includes(kind)) return null;
  if (issuer.tenants !== "any" && !issuer.tenants.includes(tenant)) return null;
  return Object.freeze({
    issuer: issuer.issuer,
    id: sub,
    kind,
    roles: Object.freeze(roles),
    tenant,
    workspace,
    ...(subject !== undefined && { subject }),
    ...(session !== undefined && { session }),
    ...(run !== undefined && { run }),
  });
}
