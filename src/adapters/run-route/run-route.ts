import type { TurnBody } from "../../services/bodies.js";
import type { HandoffPackage } from "../../services/handoff-package.js";
import {
  type Course,
  type CourseOptions,
  type Equipment,
  equip,
  openCourse,
  type RunStart,
} from "./course.js";
import { keepStage } from "./keep.js";
import type { RunMemory } from "./memory.js";
import { Escalated, Failure, type RunRouteResult } from "./outcome.js";
import { prefetch } from "./prefetch.js";
import { singleCall } from "./single-call.js";
import { runStages } from "./stages.js";
import { toolLoop } from "./tool-loop.js";

/** A chat by the application's own ids. */
interface Place {
  readonly subject: string;
  readonly session: string;
}

export interface RunRouteOptions extends CourseOptions, Place {
  readonly route_id: string;
  readonly goal: string;
  /** What was said that started the run. */
  readonly turns?: readonly TurnBody[];
}

export interface ResumeRouteOptions extends CourseOptions, Place {
  /** What was said since. */
  readonly turns?: readonly TurnBody[];
}

export interface RunChildOptions extends CourseOptions {
  /** The run whose slots are projected. */
  readonly parent: string;
  readonly route_id: string;
  readonly goal: string;
  /** Stages of the parent whose slots the child sees; it sees nothing else of it. */
  readonly slots: readonly string[];
  /** What the parent tells it of its work. `budget.steps` bounds each of its tool loops. */
  readonly handoff?: HandoffPackage;
}

/** Name of the one step of a route without stages. */
const ANSWER = "answer";

/** Decides on the route and runs its pattern to the end, to where it waits, or to where it fails. */
export async function runRoute(
  memory: RunMemory,
  options: RunRouteOptions,
): Promise<RunRouteResult> {
  const equipment = equip(options);
  const { subject, session, route_id, goal, turns = [] } = options;
  const started = await memory.startRun(subject, session, { route_id, goal });
  if (turns.length > 0) await memory.appendTurns(started.run_id, { turns });
  const run = { ...started, goal, slots: {}, notes: [], checkpoint: null, escalation: null };
  return await execute(memory, run, equipment);
}

/** Takes the session's active run up where it stopped: after a crash, a failure, or a wait. Completed stages don't run again. */
export async function resumeRoute(
  memory: RunMemory,
  options: ResumeRouteOptions,
): Promise<RunRouteResult> {
  const equipment = equip(options);
  const { subject, session, turns = [] } = options;
  const run = await memory.takeTurn(subject, session, {
    resume: true,
    ...(turns.length === 0 ? {} : { turns }),
  });
  return await execute(memory, run, equipment);
}

/** Runs a child agent on a route of its own. The parent stays the session's active run. */
export async function runChild(
  memory: RunMemory,
  options: RunChildOptions,
): Promise<RunRouteResult> {
  const equipment = equip(options);
  const { parent, route_id, goal, slots, handoff } = options;
  const { run_id } = await memory.projectChild(parent, {
    route_id,
    goal,
    slots,
    ...(handoff === undefined ? {} : { handoff }),
  });
  const stepsMax = Math.min(equipment.stepsMax, handoff?.budget?.steps ?? equipment.stepsMax);
  return await execute(memory, await memory.readRun(run_id), { ...equipment, stepsMax });
}

async function execute(
  memory: RunMemory,
  run: RunStart,
  equipment: Equipment,
): Promise<RunRouteResult> {
  const { run_id } = run;
  try {
    const course = await openCourse(memory, run, equipment);
    await prefetch(course);
    const { output, waitsFor } = await runPattern(course);
    if (waitsFor !== null) return { state: "waiting", run_id, stage_id: waitsFor };
    await memory.closeRun(run_id, { outcome: "completed" });
    return { state: "completed", run_id, output, slots: Object.fromEntries(course.slots) };
  } catch (error) {
    if (error instanceof Escalated) {
      const { reason, evidence } = error;
      await memory.escalateRun(run_id, { reason, evidence });
      return { state: "escalated", run_id, reason };
    }
    if (!(error instanceof Failure)) throw error;
    const { code, cause } = error;
    await memory.failRun(run_id, { code });
    return { state: "failed", run_id, code, cause };
  }
}

/** 0 single call, 1 tool loop, 2 workflow, 3 staged agent. */
async function runPattern(
  course: Course,
): Promise<{ readonly output: unknown; readonly waitsFor: string | null }> {
  const { autonomy, stages, tools } = course.route;
  if (autonomy < 2) {
    const stage = stages[0]?.stage_id ?? ANSWER;
    if (!course.slots.has(stage)) {
      const text =
        autonomy === 0
          ? await singleCall(course, stage, true)
          : await toolLoop(course, stage, tools);
      await keepStage(course, stage, { output: { text }, said: text });
    }
    return { output: course.slots.get(stage), waitsFor: null };
  }
  const { waitsFor } = await runStages(course);
  const last = stages.findLast(({ stage_id }) => (course.slots.get(stage_id) ?? null) !== null);
  return { output: last === undefined ? null : course.slots.get(last.stage_id), waitsFor };
}
