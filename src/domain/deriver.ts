import type { Spend } from "./model-usage.js";

/** Makes something of a source, perhaps by asking a language model. What it answers isn't believed yet. */
export interface Deriver<Source> {
  /** Name of the model that it asks; null where it asks none. */
  readonly model: string | null;
  /** All that a question tells the model, for the budget to count; empty where it asks none. */
  promptOf(source: Source): string;
  ask(source: Source, spent: Spend): Promise<unknown>;
}
