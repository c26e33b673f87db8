import { MunimentError } from "../../domain/errors.js";
import { isObject } from "../../domain/fields.js";
import { type CheckedCapability, type Input, runCapability } from "./capability.js";
import { type Course, contextOf } from "./course.js";
import { GOVERNED_TOOLS, type ToolAnswer } from "./governed-tools.js";
import type { ShownTool, ToolRequest } from "./model.js";

/** Refusals that a model hears of and can do something about. Any other ends the course. */
const TOLD: ReadonlySet<string> = new Set([
  "denied",
  "invalid_input",
  "scope_in_input",
  "mode_none",
]);
/** Where nothing can be recalled now, the course goes on without it. */
const RECALLS: ReadonlySet<string> = new Set([
  "recall_turns",
  "recall_episodes",
  "recall_observations",
]);

/**
 * The tools that the model is shown: of those on the allowlist, the governed ones that the service opens now, and the
 * application's.
 */
export async function shownTools(
  { memory, runId, capabilities }: Course,
  allowlist: readonly string[],
): Promise<readonly ShownTool[]> {
  const isGoverned = allowlist.some((name) => GOVERNED_TOOLS.has(name));
  const { tools } = isGoverned ? await memory.listTools(runId) : { tools: [] };
  return allowlist.flatMap((name): readonly ShownTool[] => {
    if (GOVERNED_TOOLS.has(name)) return tools.filter((tool) => tool.name === name);
    const capability = capabilities.get(name);
    if (capability === undefined) return [];
    const { description = name, input_schema = { type: "object", properties: {} } } = capability;
    return [{ name, description, input_schema }];
  });
}

/** One call that a model asked for. The service decides on it, whatever the model was shown. */
export async function callTool(
  course: Course,
  { tool, input }: ToolRequest,
  key: string,
): Promise<ToolAnswer> {
  if (!isObject(input))
    return { error: "invalid_input", message: "the arguments must be a JSON object" };
  try {
    const governed = GOVERNED_TOOLS.get(tool);
    return governed === undefined
      ? await callCapability(course, tool, input, key)
      : await governed(course.memory, course.runId, input);
  } catch (error) {
    if (error instanceof MunimentError && isTold(error, tool))
      return { error: error.kind, message: saidToModel(error) };
    throw error;
  }
}

/** How to go on without a recall is the model's to know; how a route is mended isn't. */
function saidToModel({ kind, message, nextStep = message }: MunimentError): string {
  return kind === "unavailable" ? nextStep : message;
}

function isTold({ kind }: MunimentError, tool: string): boolean {
  return TOLD.has(kind) || (kind === "unavailable" && RECALLS.has(tool));
}

async function callCapability(
  course: Course,
  tool: string,
  input: Input,
  key: string,
): Promise<ToolAnswer> {
  const capability = course.capabilities.get(tool);
  // Arguments that the capability doesn't declare go to the service, which refuses and audits them by name.
  await course.memory.useTool(course.runId, { ...undeclared(capability, input), tool });
  if (capability === undefined) return { error: "not_found", message: "there is no such tool" };
  const problem = capability.problemOf(input);
  if (problem !== null) return { error: "invalid_input", message: problem };
  return { output: await runCapability(capability, input, contextOf(course, key)) };
}

function undeclared(capability: CheckedCapability | undefined, input: Input): Input {
  const declared = capability?.input_schema?.properties;
  const isDeclared = (name: string) => isObject(declared) && Object.hasOwn(declared, name);
  return Object.fromEntries(Object.entries(input).filter(([name]) => !isDeclared(name)));
}
