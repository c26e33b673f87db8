import type { LedgerHead } from "../../domain/ledger.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** How far the database has followed the tenant's ledger; no row where it has no line yet. */
export function readLedgerHead(permit: Permit): Statement<LedgerHead> {
  const { tenant } = tenantScope(permit);
  return sql<LedgerHead>`
    select seq, mac from muniment.ledger_head where tenant_id = ${tenant} order by tenant_id limit 1`;
}

/**
 * Follows the ledger by its next line, in the transaction that does what the line says. Where an earlier line isn't followed
 * yet (another process is at it, or was), the head stays behind it: the next replay looks at all that is after the head.
 */
export function followLedger(permit: Permit, next: LedgerHead): Statement {
  const { tenant } = tenantScope(permit);
  return sql`
    insert into muniment.ledger_head as h (tenant_id, seq, mac)
    select ${tenant}::uuid, ${next.seq}::bigint, ${next.mac}::text
    where ${next.seq}::bigint = 1 or exists (select 1 from muniment.ledger_head k where k.tenant_id = ${tenant})
    on conflict (tenant_id) do update set seq = excluded.seq, mac = excluded.mac
    where h.seq + 1 = excluded.seq`;
}

/** Follows the ledger up to a line before which nothing is left to do. Never backwards. */
export function followLedgerTo(permit: Permit, head: LedgerHead): Statement {
  const { tenant } = tenantScope(permit);
  return sql`
    insert into muniment.ledger_head as h (tenant_id, seq, mac)
    values (${tenant}, ${head.seq}, ${head.mac})
    on conflict (tenant_id) do update set seq = excluded.seq, mac = excluded.mac
    where h.seq < excluded.seq`;
}
