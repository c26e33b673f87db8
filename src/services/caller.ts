import { MunimentError } from "../domain/errors.js";
import { type PrincipalRef, type SessionId, type SubjectId, trustedId } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import { StaleKeyError, type TenantKey } from "../domain/keyring.js";
import type { Claims, Principal } from "../domain/principal.js";
import type { Bound } from "../policy/question.js";
import { macUuid } from "./mac-uuid.js";
import type { Services } from "./services.js";
import { findSession, findSubject } from "./subjects.js";

export interface Request {
  readonly requestId: string;
  readonly idempotencyKey: string | null;
}

/** An authenticated caller with one request of its. Who it is comes from the credential, nothing from the request's body. */
export interface Caller extends Request {
  readonly principal: Principal;
  readonly bound: Bound;
}

/** Resolves a verified credential's external ids. */
export async function identify(
  services: Services,
  given: Claims,
  request: Request,
): Promise<Caller> {
  try {
    return await resolve(services, given, request);
  } catch (error) {
    if (!(error instanceof StaleKeyError)) throw error;
    services.keyring.refreshSubjectKey(error.key, error.met);
    return await resolve(services, given, request);
  }
}

async function resolve(services: Services, given: Claims, request: Request): Promise<Caller> {
  const claims = parseClaims(given);
  const tenant = await services.directory.tenant(claims.tenant, (made) =>
    services.keyring.createTenantKey(made),
  );
  const workspace = await services.directory.workspace(tenant.tenantId, claims.workspace);
  const nameless: Principal = {
    claims,
    tenant: tenant.tenantId,
    workspace,
    ref: await tenantRef(services, given, claims, tenant.tenantId),
  };
  if (claims.subject === undefined) {
    if (claims.session !== undefined)
      throw new MunimentError("unauthenticated", "the credential names a session but no subject");
    return { ...request, principal: nameless, bound: {} };
  }
  const subject = await findSubject(services, nameless, claims.subject);
  if (subject === null) return { ...request, principal: nameless, bound: {} };
  const principal = { ...nameless, ref: refOf(subject.key.mac("principal", callerName(claims))) };
  const session =
    claims.session === undefined
      ? null
      : await findSession(services, principal, subject, claims.session);
  return {
    ...request,
    principal,
    bound: bound(subject.subject, session?.sessionId ?? null),
  };
}

/** Ids of a credential in their one spelling. An application that vouches for its callers itself is held to it too. */
function parseClaims(claims: Claims): Claims {
  try {
    const { id, tenant, workspace, subject, session } = claims;
    return {
      ...claims,
      id: parseExternalId(id, "id"),
      tenant: parseExternalId(tenant, "tenant"),
      workspace: parseExternalId(workspace, "workspace"),
      ...(subject === undefined ? {} : { subject: parseExternalId(subject, "subject") }),
      ...(session === undefined ? {} : { session: parseExternalId(session, "session") }),
    };
  } catch (cause) {
    throw new MunimentError("unauthenticated", "the credential holds an id that isn't one", {
      cause,
    });
  }
}

function bound(subject: SubjectId, session: SessionId | null): Bound {
  return session === null ? { subject } : { subject, session };
}

/** Of credentials that an application holds on to for many calls. */
const named = new WeakMap<Claims, NamedCaller>();

interface NamedCaller {
  readonly key: TenantKey;
  readonly name: string;
  readonly ref: PrincipalRef;
}

/**
 * Who isn't bound to a subject is named under the tenant's key. Who is, and isn't known yet, gets a name
 * that says nothing about the person: it would outlive the erasure of the subject's key.
 */
async function tenantRef(
  services: Services,
  given: Claims,
  claims: Claims,
  tenant: Principal["tenant"],
): Promise<PrincipalRef> {
  const key = await services.keyring.tenantKey(tenant);
  const name =
    claims.subject === undefined
      ? callerName(claims)
      : JSON.stringify([claims.issuer, claims.kind]);
  const known = named.get(given);
  if (known?.key === key && known.name === name) return known.ref;
  const ref = refOf(key.mac("principal", name));
  named.set(given, { key, name, ref });
  return ref;
}

function callerName(claims: Claims): string {
  return JSON.stringify([claims.issuer, claims.kind, claims.id]);
}

function refOf(mac: Uint8Array): PrincipalRef {
  return trustedId<"PrincipalRef">(macUuid(mac));
}
