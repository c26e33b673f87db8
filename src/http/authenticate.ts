import type { FastifyRequest } from "fastify";
import { MunimentError } from "../domain/errors.js";
import { invalid } from "../domain/fields.js";
import type { Claims } from "../domain/principal.js";
import { type Caller, identify } from "../services/caller.js";
import type { Services } from "../services/services.js";

/** Throws `unauthenticated` for a token that isn't accepted here. */
export type Verify = (token: string) => Promise<Claims>;

const BEARER = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i;
const IDEMPOTENCY_KEY = /^[!-~]{1,200}$/;

/** The caller behind the request's credential. Its idempotency key is read later: a bad one is a refusal to be audited. */
export async function authenticate(
  services: Services,
  verify: Verify,
  request: FastifyRequest,
): Promise<Caller> {
  const [, token] = BEARER.exec(request.headers.authorization ?? "") ?? [];
  if (token === undefined) {
    throw new MunimentError(
      "unauthenticated",
      "send a credential as `Authorization: Bearer TOKEN`",
    );
  }
  const claims = await verify(token);
  return await identify(services, claims, { requestId: request.id, idempotencyKey: null });
}

/** The key under which a write may be repeated, or null. What can't be repeated refuses it itself. */
export function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  // A header that is given twice arrives as one with a space in it.
  if (typeof key !== "string" || !IDEMPOTENCY_KEY.test(key)) {
    throw invalid("idempotency-key", "must be 1 to 200 visible ASCII characters");
  }
  return key;
}
