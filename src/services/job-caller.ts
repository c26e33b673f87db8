import { randomUUID } from "node:crypto";
import type { WorkspaceId } from "../domain/ids.js";
import type { Claims } from "../domain/principal.js";
import { type Caller, identify } from "./caller.js";
import type { Services } from "./services.js";

/** Who asks where nobody outside does: a job of ours, by its name, in a tenant. */
export async function jobCaller(services: Services, id: string, tenant: string): Promise<Caller> {
  const claims: Claims = {
    issuer: "muniment",
    id,
    kind: "job",
    roles: [],
    tenant,
    workspace: "default",
  };
  return await identify(services, claims, { requestId: randomUUID(), idempotencyKey: null });
}

/** The same job in the workspace that its row names. */
export function inWorkspace(caller: Caller, workspace: WorkspaceId): Caller {
  return { ...caller, principal: { ...caller.principal, workspace } };
}
