import { LIMITS } from "../../domain/limits.js";
import type { Route } from "../../domain/route.js";
import type { RunView } from "../../services/read-run.js";
import { type AiSdkModel, aiSdkModel } from "./ai-sdk.js";
import {
  type Capabilities,
  type CapabilityContext,
  type CheckedCapability,
  checkCapabilities,
} from "./capability.js";
import { ESCALATE_RUN, ESCALATE_TOOL } from "./escalate-tool.js";
import type { RunMemory } from "./memory.js";
import type { Model } from "./model.js";
import { Escalated } from "./outcome.js";

const STEPS_DEFAULT = 16;
const MODEL_MS_DEFAULT = 120_000;
const RETRIES_DEFAULT = 2;

/** What the application brings: its model, its functions, its bounds. */
export interface CourseOptions {
  /** A language model of the AI SDK, or any function. Stages without a capability are its. */
  readonly model?: Model | AiSdkModel | undefined;
  /** By the name of their stage or tool. */
  readonly capabilities?: Capabilities;
  /** The application's own words to the model, by stage (`answer` where the route has none). They have system authority. */
  readonly instructions?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Model calls of one tool loop at most, 16 where absent. */
  readonly steps_max?: number;
  /** Milliseconds that one model call may take, two minutes where absent. */
  readonly model_ms_max?: number;
  /** How often a call of an AI SDK model is repeated, 2 where absent. */
  readonly model_retries_max?: number;
}

/** What of a run its course starts from. */
export type RunStart = Pick<
  RunView,
  "run_id" | "route_id" | "route_version" | "goal" | "slots" | "notes" | "checkpoint" | "escalation"
>;

/** A run under way: what its steps share. */
export interface Course {
  readonly memory: RunMemory;
  readonly runId: string;
  readonly route: Route;
  readonly goal: string;
  readonly slots: Map<string, unknown>;
  readonly notes: string[];
  /** Of the stage under way: kept when it is complete. */
  readonly newNotes: string[];
  /** As it stood when the course started, or let go of what was forgotten. */
  checkpoint: RunView["checkpoint"];
  /** Of a human, where the run was resumed by one. */
  answer: string | null;
  /** Step of the loop's record that was written last. */
  step: number;
  readonly model: Model | null;
  readonly capabilities: ReadonlyMap<string, CheckedCapability>;
  readonly instructions: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
  readonly stepsMax: number;
  readonly modelMsMax: number;
}

/** The part of a course that is known before its run: what the application brings, checked. */
export type Equipment = Pick<
  Course,
  "model" | "capabilities" | "instructions" | "signal" | "stepsMax" | "modelMsMax"
>;

export function equip(options: CourseOptions): Equipment {
  const { model, signal, steps_max: steps = STEPS_DEFAULT } = options;
  const retries = options.model_retries_max ?? RETRIES_DEFAULT;
  return {
    model:
      model === undefined || typeof model === "function"
        ? (model ?? null)
        : aiSdkModel(model, retries),
    capabilities: checkCapabilities({ ...options.capabilities, [ESCALATE_RUN]: ESCALATE_TOOL }),
    instructions: options.instructions ?? {},
    signal,
    stepsMax: Math.min(steps, LIMITS.toolStepsMax),
    modelMsMax: options.model_ms_max ?? MODEL_MS_DEFAULT,
  };
}

/** Under the route version that the run is pinned to, whatever the route says by now. */
export async function openCourse(
  memory: RunMemory,
  run: RunStart,
  equipment: Equipment,
): Promise<Course> {
  const { route } = await memory.readRoute(run.route_id, { version: run.route_version });
  const { checkpoint } = run;
  return {
    ...equipment,
    memory,
    runId: run.run_id,
    route,
    goal: run.goal ?? "",
    slots: slotsOf(route, run),
    notes: run.notes.map(String),
    newNotes: [],
    checkpoint,
    answer: run.escalation?.answer ?? null,
    step: checkpoint?.step ?? 0,
  };
}

/** Outputs of stages, as far as the run keeps them. */
export function slotsOf(
  route: Route,
  { slots, checkpoint }: Pick<RunView, "slots" | "checkpoint">,
): Map<string, unknown> {
  return new Map(Object.entries({ ...slotsOfLoop(route, checkpoint), ...slots }));
}

/** A profile with a loop and without working memory keeps the last stage's result alone: of those before it, that they are complete. */
function slotsOfLoop(
  { memory_profile, stages }: Route,
  checkpoint: RunView["checkpoint"],
): Readonly<Record<string, unknown>> {
  if (memory_profile.working === "session" || checkpoint === null) return {};
  const complete = stages.slice(0, checkpoint.resume_index);
  return Object.fromEntries(
    complete.map(({ stage_id }) => [
      stage_id,
      stage_id === checkpoint.stage_id ? checkpoint.result : null,
    ]),
  );
}

/** The goal as a question to memory and corpora. */
export function questionOf({ goal }: Course): string {
  return goal.slice(0, LIMITS.queryCharsMax).toWellFormed();
}

export function recalls({ route }: Course): boolean {
  return route.memory_profile.long_term === "retrieve_only";
}

/** What each capability gets. */
export function contextOf({ newNotes, answer, signal }: Course, key: string): CapabilityContext {
  return {
    key,
    answer,
    note: (text) => void newNotes.push(text),
    escalate: (reason, evidence = []) => {
      throw new Escalated(reason, evidence);
    },
    ...(signal === undefined ? {} : { signal }),
  };
}
