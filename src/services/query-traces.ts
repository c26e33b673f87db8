import { listTraces, requireOwnRun } from "../storage/queries/trace-list.js";
import type { Caller } from "./caller.js";
import { makeCursor, readCursor } from "./cursor.js";
import { govern } from "./govern.js";
import { parseInput } from "./inputs/parse.js";
import { queryTracesInput } from "./inputs/trace.js";
import type { DecisionReply } from "./operation.js";
import { openTraces, type TraceSummary } from "./run-traces.js";
import type { Services } from "./services.js";

export interface QueryTracesReply {
  readonly traces: readonly TraceSummary[];
  readonly cursor: string | null;
  readonly decision: DecisionReply;
}

/**
 * What runs of the caller's workspace did, newest first: ids and summaries. For those who operate and evaluate; a run of
 * somebody else is an error, not an empty answer.
 */
export function queryTraces(
  services: Services,
  caller: Caller,
  query: unknown,
): Promise<QueryTracesReply> {
  return govern(services, caller, "query_traces", async (op) => {
    const { limit, cursor, ...asked } = parseInput(queryTracesInput, query);
    const { run = null, route = null, outcome = null } = asked;
    const permit = op.permit({ type: "tenant" }, {});
    const key = await services.keyring.tenantKey(caller.principal.tenant);
    const list = ["query_traces", run, route, outcome];
    const before = readCursor(key, caller.principal, list, cursor);
    const rows = await services.store.transact(permit, async (tx) => {
      const own = run === null ? [] : [requireOwnRun(permit, run)];
      const [found] = await tx.send([
        listTraces(permit, { run, route, outcome, before, limit }),
        ...own,
      ]);
      const ids = found.map(({ traceId }) => traceId);
      await tx.commit([op.audit(permit, { reads: [{ kind: "trace", ids }] })]);
      return found;
    });
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      traces: await openTraces(services, rows),
      cursor: last === undefined ? null : makeCursor(key, caller.principal, list, last.traceId),
      decision: op.decision(),
    };
  });
}
