import { diagnoseLine, type LineDiagnosis, type PutBy } from "../domain/assembly/diagnose.js";
import { explainManifest } from "../domain/assembly/explain.js";
import type { Manifest, ManifestEntry } from "../domain/assembly/pack.js";
import { MunimentError, notFound } from "../domain/errors.js";
import { readPack } from "../storage/queries/pack-find.js";
import { readRun } from "../storage/queries/run-read.js";
import type { Caller } from "./caller.js";
import { runClock } from "./clocks.js";
import { govern } from "./govern.js";
import { diagnoseInput } from "./inputs/pack.js";
import { parseInput } from "./inputs/parse.js";
import { type NumberedLine, readLineFacts } from "./line-facts.js";
import type { DecisionReply } from "./operation.js";
import { runOfPack } from "./pack-run.js";
import type { Services } from "./services.js";

/** One line of a pack, with where it came from. Holds no text. */
export interface DiagnosedLine
  extends Pick<ManifestEntry, "kind" | "layer" | "source">,
    LineDiagnosis {
  /** Its place among the entries that `explain` lists, from 1. */
  readonly line: number;
  readonly put_by: PutBy | null;
}

export interface DiagnosePackReply {
  readonly pack_id: string;
  readonly run_id: string;
  readonly created_at: string;
  readonly lines: readonly DiagnosedLine[];
  readonly decision: DecisionReply;
}

/**
 * Says of a pack's lines (or of one) which memory each came from, who put it there, when and by which rule, and what can
 * be done: for "it remembered wrong". Reads rows of today's permit alone; a row that isn't kept any more is said to be gone.
 */
export function diagnosePack(
  services: Services,
  caller: Caller,
  packId: string,
  query: unknown,
): Promise<DiagnosePackReply> {
  return govern(services, caller, "diagnose_pack", async (op) => {
    const { line } = parseInput(diagnoseInput, query);
    const pinned = await runOfPack(op, packId);
    const { pin, pack } = pinned;
    const permit = op.permit({ type: "run", pin }, {});
    return await services.store.transact(permit, async (tx) => {
      const [[stored], [run]] = await tx.send([readPack(permit, pack), readRun(permit)]);
      if (stored === undefined || run === undefined) throw notFound();
      const wanted = linesOf(stored.manifest as Manifest, line);
      const facts = await readLineFacts(services, tx, permit, pinned, {
        pack: stored,
        run,
        wanted,
      });
      const reads = [{ kind: "pack", ids: [pack] }];
      const ttl = runClock(pin, stored.expiresAt);
      await tx.commit([op.audit(permit, { reads, packId: pack, tokens: stored.tokens, ttl })]);
      return {
        pack_id: pack,
        run_id: stored.runId,
        created_at: stored.createdAt.toISOString(),
        lines: facts.map(({ line: number, entry: { kind, layer, source }, ...known }) => ({
          line: number,
          kind,
          layer,
          source,
          ...diagnoseLine({ ...known, kind, layer, packedAt: stored.createdAt }),
          put_by: known.put,
        })),
        decision: op.decision(),
      };
    });
  });
}

/** The lines that are in the pack, or the one that is asked for. */
function linesOf(manifest: Manifest, line: number | undefined): readonly NumberedLine[] {
  const lines = explainManifest(manifest).flatMap(
    ({ in: isIn, reason: _reason, ...entry }, index) => (isIn ? [{ line: index + 1, entry }] : []),
  );
  if (line === undefined) return lines;
  const asked = lines.filter((one) => one.line === line);
  if (asked.length > 0) return asked;
  throw new MunimentError("invalid_input", "`line` isn't a line of this pack", { field: "line" });
}
