import { isObject } from "../../domain/fields.js";

/** Keys that a goal brings into an input: those of a job's JSON payload, or `goal` for what a person said. */
export function goalFields(goal: string): Readonly<Record<string, unknown>> {
  const payload = readJson(goal);
  return isObject(payload) ? payload : { goal };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
