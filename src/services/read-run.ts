import { notFound } from "../domain/errors.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Pin } from "../domain/pin.js";
import { type CheckpointRow, readCheckpoint } from "../storage/queries/checkpoint-read.js";
import { type EscalationRow, readEscalation } from "../storage/queries/escalation-read.js";
import { type RunRow, readRun } from "../storage/queries/run-read.js";
import { listWorkingByRun, type WorkingRow } from "../storage/queries/working-list-by-run.js";
import type { Caller } from "./caller.js";
import { type OpenCheckpoint, openCheckpoint } from "./checkpoints.js";
import { runClock } from "./clocks.js";
import { type Escalation, openEscalation } from "./escalations.js";
import { govern } from "./govern.js";
import type { DecisionReply } from "./operation.js";
import { goalPlace } from "./pinning.js";
import { pinOf } from "./pins.js";
import type { Services } from "./services.js";
import { type OpenWorking, openWorking, slotsAndNotes } from "./working-values.js";

/** A run as its application sees it. Utterances aren't part of it: they come from the conversation alone. */
export interface RunView {
  readonly run_id: string;
  readonly state: RunRow["state"];
  readonly failure_code: string | null;
  readonly version: number;
  readonly route_id: string;
  readonly route_version: number;
  /** Null where the run's idle clock has run out. */
  readonly goal: string | null;
  readonly resume_index: number;
  readonly slots: Readonly<Record<string, unknown>>;
  readonly slot_versions: Readonly<Record<string, number>>;
  readonly notes: readonly unknown[];
  readonly working: readonly { readonly class: string; readonly value: unknown }[];
  readonly checkpoint: OpenCheckpoint | null;
  /** Why it waits, or waited last, for a human. */
  readonly escalation: Escalation | null;
  readonly expires_at: string;
}

export interface ReadRunReply extends RunView {
  readonly decision: DecisionReply;
}

/** The run with its slots, notes, other working memory and checkpoint. */
export function readRunView(
  services: Services,
  caller: Caller,
  run: string,
): Promise<ReadRunReply> {
  return govern(services, caller, "read_run", async (op) => {
    const { pin, key } = await pinOf(op, run);
    const permit = op.permit({ type: "run", pin }, {});
    const rows = await services.store.transact(permit, async (tx) => {
      const read = await tx.send([
        readRun(permit),
        listWorkingByRun(permit, LIMITS.workingRowsMax),
        readCheckpoint(permit),
        readEscalation(permit),
      ]);
      const [row] = read[0];
      if (row === undefined) throw notFound();
      const ttl = runClock(pin, row.expiresAt);
      await tx.commit([op.audit(permit, { reads: runReads(run, read[1]), ttl })]);
      return read;
    });
    return { ...viewRun(services, pin, key, op.now, rows), decision: op.decision() };
  });
}

/** What a read of a run touched, for its trace. */
export function runReads(run: string, working: readonly WorkingRow[]) {
  return [
    { kind: "run", ids: [run] },
    { kind: "working", ids: working.map((row) => `${row.class}/${row.key}`) },
  ];
}

export type RunRows = readonly [
  readonly RunRow[],
  readonly WorkingRow[],
  readonly CheckpointRow[],
  readonly EscalationRow[],
];

export function viewRun(
  services: Services,
  pin: Pin,
  key: SubjectKey,
  now: Date,
  [runs, working, checkpoints, escalations]: RunRows,
): RunView {
  const [run] = runs;
  if (run === undefined) throw notFound();
  const items = openWorking(working, key, services.onAlarm);
  return {
    run_id: run.runId,
    state: run.state,
    failure_code: run.failureCode,
    version: run.version,
    route_id: pin.routeId,
    route_version: pin.route.version,
    goal:
      run.expiresAt > now ? key.open(goalPlace(run.runId, run.sessionId), run.goalSealed) : null,
    resume_index: run.resumeIndex,
    ...slotsAndNotes(items),
    working: otherWorking(items),
    checkpoint: openCheckpoint(checkpoints[0], key, services.onAlarm),
    escalation: openEscalation(escalations[0], key, services.onAlarm),
    expires_at: run.expiresAt.toISOString(),
  };
}

function otherWorking(items: readonly OpenWorking[]): RunView["working"] {
  return items
    .filter((item) => item.class !== "slot" && item.class !== "note")
    .map((item) => ({ class: item.class, value: item.value }));
}
