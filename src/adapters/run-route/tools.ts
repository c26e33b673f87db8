import { MunimentError } from "../../domain/errors.js";
import { isObject } from "../../domain/fields.js";
import { LIMITS } from "../../domain/limits.js";
import type * as body from "../../services/bodies.js";
import type { RecallReply } from "../../services/recall-turns.js";
import { type CheckedCapability, type Input, runCapability } from "./capability.js";
import { type Course, contextOf, recalls } from "./course.js";
import type { ShownTool, ToolRequest } from "./model.js";

/** What a tool answered, as the model is told. */
export type ToolAnswer =
  | { readonly output: unknown }
  | { readonly recalled: unknown }
  | { readonly error: string; readonly message: string };

/** Refusals that a model hears of and can do something about. Any other ends the course. */
const TOLD: ReadonlySet<string> = new Set([
  "denied",
  "invalid_input",
  "scope_in_input",
  "mode_none",
]);

const RECALL_TURNS: ShownTool = {
  name: "recall_turns",
  description:
    "Finds what was said in earlier conversations about this matter. Answers quoted data.",
  input_schema: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: LIMITS.queryCharsMax },
      limit: { type: "integer", minimum: 1, maximum: LIMITS.recallHitsMax },
    },
    required: ["query"],
    additionalProperties: false,
  },
};

/** The tools that the model is shown: of those on the allowlist, what is there and what the profile permits. */
export function shownTools(course: Course, allowlist: readonly string[]): readonly ShownTool[] {
  return allowlist.flatMap((name): readonly ShownTool[] => {
    if (name === RECALL_TURNS.name) return recalls(course) ? [RECALL_TURNS] : [];
    const capability = course.capabilities.get(name);
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
  try {
    if (!isObject(input))
      return { error: "invalid_input", message: "the arguments must be a JSON object" };
    return tool === RECALL_TURNS.name
      ? {
          recalled: shownHits(
            await course.memory.recallTurns(course.runId, input as unknown as body.RecallTurnsBody),
          ),
        }
      : await callCapability(course, tool, input, key);
  } catch (error) {
    if (error instanceof MunimentError && TOLD.has(error.kind))
      return { error: error.kind, message: error.message };
    throw error;
  }
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

/** Of what was found, what a model needs: text with its source, never ids that it could ask by. */
function shownHits({ outcome, hits, next_step }: RecallReply): unknown {
  return {
    outcome,
    next_step,
    hits: hits.map(({ text, role, speaker, observed_at, source }) => ({
      quoted: text,
      role,
      speaker,
      observed_at,
      route: source.route_id,
    })),
  };
}
