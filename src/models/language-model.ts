import type { Spend } from "../domain/model-usage.js";

/** A question whose answer has to have the form of a JSON schema. */
export interface ObjectRequest {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Our own words. */
  readonly system: string;
  /** Data: what persons, tools and models said. */
  readonly prompt: string;
  /** Told what each answer took, malformed ones too. */
  readonly spent?: Spend;
}

/** All that a question tells the model. */
export function wholeOf({ schema, system, prompt }: Omit<ObjectRequest, "name">): string {
  return [system, JSON.stringify(schema), prompt].join("\n");
}

/** The answer wasn't an object of the schema. Asking again may help; guessing doesn't. */
export class MalformedAnswer extends Error {
  constructor(cause: unknown, what = "hasn't the asked form") {
    super(`the model's answer ${what}`, { cause });
    this.name = "MalformedAnswer";
  }
}

/**
 * The language model port. What it answers is parsed by who asked, as anything from outside is. Throws `MalformedAnswer`, or
 * whatever the way to the model throws once its own few retries are used up.
 */
export interface LanguageModel {
  object(request: ObjectRequest): Promise<unknown>;
}
