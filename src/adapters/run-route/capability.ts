import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { MunimentError } from "../../domain/errors.js";
import { fieldPath } from "../../domain/fields.js";
import type { RecallReply } from "../../services/recall-turns.js";
import { Escalated, Failure } from "./outcome.js";

export type Input = Readonly<Record<string, unknown>>;

/** What a capability gets beside its input. */
export interface CapabilityContext {
  /** The same each time that this step of the run is tried: an idempotency key for what it changes elsewhere. */
  readonly key: string;
  readonly signal?: AbortSignal;
  /** Adds a note to the run, for later model stages. */
  note(text: string): void;
  /** Hands the run to a human: it stops here, with reason and evidence, and this step is tried again after the answer. */
  escalate(reason: string, evidence?: readonly string[]): never;
  /** What the human answered who resumed the run; null where nobody had to. */
  readonly answer: string | null;
  /** There in a recall stage of a workflow alone. */
  recall?(query: string, limit?: number): Promise<RecallReply>;
}

/** The application's own function behind a stage or a tool. It fails the run by throwing; an answer that says no is an output. */
export interface Capability {
  /** Told to the model where it is a tool. */
  readonly description?: string;
  /** JSON Schema of the input. Names the slot keys that may be merged into it, and the arguments that a model may give. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  /** True where the run's notes go into the input of a stage. */
  readonly notes?: boolean;
  /** Its output is JSON. */
  run(input: Input, context: CapabilityContext): unknown;
}

export type Capabilities = Readonly<Record<string, Capability>>;

/** A capability whose input can be checked. */
export interface CheckedCapability extends Capability {
  /** Names what is wrong with an input, never its values; null where nothing is. */
  problemOf(input: Input): string | null;
}

/** Reads every schema, so that a wrong one stops the run before it starts. */
export function checkCapabilities(given: Capabilities): ReadonlyMap<string, CheckedCapability> {
  return new Map(
    Object.entries(given).map(([name, capability]) => {
      const isValid = compile(name, capability.input_schema ?? {});
      const problemOf = (input: Input) => (isValid(input) ? null : problemIn(isValid.errors?.[0]));
      return [name, { ...capability, run: capability.run.bind(capability), problemOf }];
    }),
  );
}

/** Names the field, never its value. */
function problemIn(error?: ErrorObject): string {
  const missing: unknown = error?.params.missingProperty;
  const path = (error?.instancePath ?? "").split("/").slice(1);
  const keys = typeof missing === "string" ? [...path, missing] : path;
  const field = keys.reduce<string>((at, key) => fieldPath(at, key), "");
  return `\`${field === "" ? "input" : field}\` isn't what its schema asks for`;
}

function compile(name: string, schema: Input): ValidateFunction {
  try {
    // Whatever draft it names: the keywords that inputs need are the same in all of them.
    const { $schema: _, ...rest } = schema;
    return new Ajv2020({ strict: false, validateFormats: false }).compile(rest);
  } catch (cause) {
    const field = fieldPath(fieldPath("capabilities", name), "input_schema");
    throw new MunimentError("invalid_input", `\`${field}\` can't be read`, { field, cause });
  }
}

/** Runs it. What it throws fails the run. */
export async function runCapability(
  { run }: Capability,
  input: Input,
  context: CapabilityContext,
): Promise<unknown> {
  try {
    // What gives nothing gives null: a slot holds JSON.
    return (await run(input, context)) ?? null;
  } catch (cause) {
    if (cause instanceof MunimentError || cause instanceof Escalated) throw cause;
    throw new Failure(context.signal?.aborted === true ? "aborted" : "capability_failed", cause);
  }
}
