import type { ArchiveLine } from "../domain/archive.js";
import { invalid, isObject } from "../domain/fields.js";
import { restoreTombstones } from "../storage/queries/tombstone-archive.js";
import { type Brought, bringDefinition, fieldLine, routeLine } from "./archive/bring-definition.js";
import { type LineReply, type LineTally, refusedLine, tally } from "./archive/line-replies.js";
import {
  markOf,
  type TombstoneLine,
  tombstoneLine,
  toTombstone,
} from "./archive/tombstone-lines.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import { importTenantInput } from "./inputs/archive.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply, Operation } from "./operation.js";
import type { Services } from "./services.js";

export interface ImportTenantReply extends LineTally {
  /** What became of each line, in the order of the request. */
  readonly lines: readonly LineReply[];
  readonly decision: DecisionReply;
}

/**
 * Takes in lines of what is a tenant's own. A route or field is written by the caller's own right to write one; a tombstone
 * comes in where it was made under this tenant's ledger key, and lifts none.
 */
export function importTenant(
  services: Services,
  caller: Caller,
  body: unknown,
): Promise<ImportTenantReply> {
  return govern(services, caller, "import_tenant", async (op) => {
    const { lines } = parseInput(importTenantInput, body);
    const permit = op.permit({ type: "tenant" }, {});
    const tombstones = await tombstonesIn(op, lines);
    const restored = await services.store.transact(permit, async (tx) => {
      const [rows] = await tx.send([restoreTombstones(permit, tombstones.own.map(toTombstone))]);
      const writes = [{ kind: "tombstone", ids: [], count: rows.length }];
      await tx.commit([op.audit(permit, { writes })]);
      return new Set(rows.map(({ itemMac }) => Buffer.from(itemMac).toString("hex")));
    });
    const replies: LineReply[] = [];
    for (const [index, line] of lines.entries())
      replies.push(
        await replyTo(services, caller, { index, line, isOwn: tombstones.isOwn, restored }),
      );
    return { ...tally(replies), lines: replies, decision: op.decision() };
  });
}

/** The lines that are tombstones of this ledger. */
async function tombstonesIn(
  { services, caller }: Operation<"import_tenant">,
  lines: readonly unknown[],
) {
  const mark = markOf(await services.keyring.ledger.key(caller.principal.tenant));
  const isOwn = ({ ledger_key }: TombstoneLine) => ledger_key === mark;
  const own = lines.flatMap((line) => {
    const parsed = tombstoneLine.safeParse(line);
    return parsed.success && isOwn(parsed.data) ? [parsed.data] : [];
  });
  return { isOwn, own };
}

interface GivenLine {
  readonly index: number;
  readonly line: unknown;
  readonly isOwn: (line: TombstoneLine) => boolean;
  readonly restored: ReadonlySet<string>;
}

async function replyTo(
  services: Services,
  caller: Caller,
  { index, line, isOwn, restored }: GivenLine,
): Promise<LineReply> {
  const kind = isObject(line) ? (line as ArchiveLine).kind : undefined;
  try {
    if (kind === "tombstone") {
      const tombstone = parseInput(tombstoneLine, line);
      if (!isOwn(tombstone)) return { index, kind, status: "skipped", reason: "other_ledger" };
      const status = restored.has(tombstone.item_mac) ? "imported" : "present";
      return { index, kind, status };
    }
    if (kind !== "route" && kind !== "field")
      throw invalid("kind", "is no kind of a tenant's own lines");
    const parsed = parseInput(kind === "route" ? routeLine : fieldLine, line);
    return replyOf(index, kind, await bringDefinition(services, caller, parsed));
  } catch (error) {
    return refusedLine(
      index,
      kind === "route" || kind === "field" || kind === "tombstone" ? kind : "unknown",
      error,
    );
  }
}

function replyOf(index: number, kind: string, brought: Brought): LineReply {
  if (brought === "imported" || brought === "present") return { index, kind, status: brought };
  return { index, kind, status: "skipped", reason: brought };
}
