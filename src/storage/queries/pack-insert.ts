import type { PackId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { runScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewPack {
  readonly packId: PackId;
  readonly expiresAt: Date;
  readonly revision: number;
  readonly purgeRevision: number;
  readonly tokens: number;
  readonly tokensMax: number;
  readonly contentMac: Uint8Array;
  /** References, reasons and counts as JSON. Never text. */
  readonly manifest: string;
}

/**
 * The record of an assembled pack. Fails with `subject_gone` where the subject ended or was purged since its rows were read.
 * It shares the subject's key until its end: an erasure waits for it, or is seen by it. So the run has caught up with what was
 * forgotten before.
 */
export function insertPack(permit: Permit, pack: NewPack): Statement {
  const { tenant, subject, keyId, workspace, session, run, now } = runScope(permit);
  return sql`
    with made as (
      insert into muniment.pack
        (tenant_id, subject_id, pack_id, workspace_id, session_id, run_id, created_at, expires_at, revision, purge_revision,
         tokens, tokens_max, content_mac, manifest)
      select u.tenant_id, u.subject_id, ${pack.packId}::uuid, ${workspace}::uuid, ${session}::uuid, ${run}::uuid, ${now}::timestamptz,
        ${pack.expiresAt}::timestamptz, ${pack.revision}::bigint, u.purge_revision, ${pack.tokens}::integer, ${pack.tokensMax}::integer,
        ${pack.contentMac}::bytea, ${pack.manifest}::jsonb
      from muniment.subject u
      where u.tenant_id = ${tenant} and u.subject_id = ${subject} and u.key_id = ${keyId} and u.state = 'active'
        and u.purge_revision = ${pack.purgeRevision}
      for key share of u
      returning pack_id
    ), caught_up as (
      update muniment.run set knows_forgotten = false
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and knows_forgotten and exists (select 1 from made)
    )
    select muniment.require(exists (select 1 from made), 'subject_gone')`;
}
