import { LRUCache } from "lru-cache";
import { uuidv7 } from "uuidv7";
import type { Clock } from "../domain/clock.js";
import { must } from "../domain/errors.js";
import { type TenantId, trustedId, type WorkspaceId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { WallScope, WireRow } from "./scoped-transaction.js";
import { type Statement, sql } from "./sql.js";
import type { Directory, TenantRow } from "./store.js";

/** Runs the statements in one committed transaction of this scope. */
export type RunOutside = (
  scope: WallScope,
  statements: readonly Statement[],
) => Promise<readonly (readonly WireRow[])[]>;

/** Reaches only what stands outside the wall. */
export const OUTSIDE: WallScope = { tenant: null, subject: null, breadth: "none" };

type Prepare = (tenant: TenantId) => Promise<unknown>;

const readTenant = (name: string): Statement =>
  sql`select tenant_id as "tenantId", evidence_days as "evidenceDays"
    from muniment.tenant where name = ${name} order by tenant_id limit 1`;

async function ensureTenant(
  run: RunOutside,
  clock: Clock,
  name: string,
  prepare: Prepare,
  evidenceDays: number,
): Promise<TenantRow> {
  const [known] = await run(OUTSIDE, [readTenant(name)]);
  if (known?.[0] !== undefined) return toTenant(known[0]);
  const made = trustedId<"TenantId">(uuidv7());
  await prepare(made);
  const [, found] = await run(OUTSIDE, [
    sql`insert into muniment.tenant (tenant_id, name, evidence_days, created_at)
      values (${made}, ${name}, ${evidenceDays}, ${clock.now()}) on conflict (name) do nothing`,
    readTenant(name),
  ]);
  return toTenant(must(found?.[0], "tenant"));
}

function toTenant(row: WireRow): TenantRow {
  return {
    tenantId: trustedId<"TenantId">(String(row.tenantId)),
    evidenceDays: Number(row.evidenceDays),
  };
}

async function ensureWorkspace(
  run: RunOutside,
  clock: Clock,
  tenant: TenantId,
  name: string,
): Promise<WorkspaceId> {
  const [, found] = await run({ tenant, subject: null, breadth: "tenant" }, [
    sql`insert into muniment.workspace (tenant_id, workspace_id, name, created_at)
      values (${tenant}, ${uuidv7()}, ${name}, ${clock.now()}) on conflict (tenant_id, name) do nothing`,
    sql`select workspace_id as "workspaceId" from muniment.workspace
      where tenant_id = ${tenant} and name = ${name} order by workspace_id limit 1`,
  ]);
  return trustedId<"WorkspaceId">(String(must(found?.[0], "workspace").workspaceId));
}

const readCustody = (): Statement =>
  sql`select custody_id as "custodyId" from muniment.deployment where deployment_id = 1 order by deployment_id limit 1`;

/** The directory over a driver. Names never change their ids, so answers are cached. */
export function createDirectory(
  run: RunOutside,
  clock: Clock,
  evidenceDays: number = LIMITS.evidenceDays,
): Directory {
  const tenants = new LRUCache<string, TenantRow>({ max: LIMITS.cacheEntriesMax });
  const workspaces = new LRUCache<string, WorkspaceId>({ max: LIMITS.cacheEntriesMax });
  return {
    async tenant(name, prepare = async () => undefined) {
      const known =
        tenants.get(name) ?? (await ensureTenant(run, clock, name, prepare, evidenceDays));
      tenants.set(name, known);
      return known;
    },
    async tenants(afterName, limit) {
      const [found] = await run(OUTSIDE, [
        sql`select name from muniment.tenant where name > ${afterName} order by name limit ${limit}`,
      ]);
      return (found ?? []).map((row) => String(row.name));
    },
    async tenantName(tenantId) {
      const [found] = await run(OUTSIDE, [
        sql`select name from muniment.tenant where tenant_id = ${tenantId}::uuid order by tenant_id limit 1`,
      ]);
      return found?.[0] === undefined ? null : String(found[0].name);
    },
    async workspace(tenant, name) {
      const key = `${tenant} ${name}`;
      const known = workspaces.get(key) ?? (await ensureWorkspace(run, clock, tenant, name));
      workspaces.set(key, known);
      return known;
    },
    async custody() {
      const [found] = await run(OUTSIDE, [readCustody()]);
      const id = found?.[0]?.custodyId;
      return typeof id === "string" ? id : null;
    },
    async rememberCustody(id) {
      const [, found] = await run(OUTSIDE, [
        sql`insert into muniment.deployment (deployment_id, custody_id, created_at)
          values (1, ${id}, ${clock.now()}) on conflict (deployment_id) do nothing`,
        readCustody(),
      ]);
      return String(must(found?.[0], "deployment").custodyId);
    },
  };
}
