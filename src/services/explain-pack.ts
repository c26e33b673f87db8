import { type Explained, explainManifest } from "../domain/assembly/explain.js";
import type { Manifest } from "../domain/assembly/pack.js";
import { notFound } from "../domain/errors.js";
import { listForgottenSources } from "../storage/queries/erasure-sources.js";
import { readPack } from "../storage/queries/pack-find.js";
import { readRun } from "../storage/queries/run-read.js";
import type { Caller } from "./caller.js";
import { runClock } from "./clocks.js";
import { govern } from "./govern.js";
import type { DecisionReply } from "./operation.js";
import { runOfPack } from "./pack-run.js";
import type { Services } from "./services.js";

export interface ExplainPackReply {
  readonly pack_id: string;
  readonly run_id: string;
  readonly created_at: string;
  readonly tokens: number;
  readonly tokens_max: number;
  /** False once its clock ran out or something of the subject was deleted or corrected since. */
  readonly valid: boolean;
  /** True where the subject's memory grew since: the pack may be used, and a new one would say more. */
  readonly outdated: boolean;
  readonly entries: readonly Explained[];
  readonly decision: DecisionReply;
}

/** Says for each candidate of a stored pack why it is in or out, and whether the pack may still be used. Holds no text. */
export function explainPack(
  services: Services,
  caller: Caller,
  packId: string,
): Promise<ExplainPackReply> {
  return govern(services, caller, "explain_pack", async (op) => {
    const { pin, pack } = await runOfPack(op, packId);
    const permit = op.permit({ type: "run", pin }, {});
    const [row, run, gone] = await services.store.transact(permit, async (tx) => {
      const [[stored], [standing]] = await tx.send([readPack(permit, pack), readRun(permit)]);
      if (stored === undefined || standing === undefined) throw notFound();
      const { entries } = stored.manifest as Manifest;
      const sources = entries.flatMap(({ source }) => source);
      const isPurged = stored.purgeRevision !== standing.purgeRevision;
      const [forgotten] = isPurged ? await tx.send([listForgottenSources(permit, sources)]) : [[]];
      const reads = [{ kind: "pack", ids: [pack] }];
      const ttl = runClock(pin, stored.expiresAt);
      await tx.commit([op.audit(permit, { reads, packId: pack, tokens: stored.tokens, ttl })]);
      return [stored, standing, forgotten] as const;
    });
    return {
      pack_id: pack,
      run_id: row.runId,
      created_at: row.createdAt.toISOString(),
      tokens: row.tokens,
      tokens_max: row.tokensMax,
      valid: row.expiresAt > op.now && row.purgeRevision === run.purgeRevision,
      outdated: row.revision !== run.revision,
      entries: explainManifest(
        row.manifest as Manifest,
        new Map(gone.map(({ source, reason }) => [source, reason])),
      ),
      decision: op.decision(),
    };
  });
}
