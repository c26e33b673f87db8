import { extractModel } from "../domain/consolidate-extract.js";
import type { Consolidator } from "../domain/user-model.js";
import { consolidateWith } from "../models/model-consolidator.js";
import { languageModelOf, type ModelSettings } from "./language-model.js";

/** Quotes, where the settings name no model. */
export function consolidatorOf(settings: ModelSettings): Consolidator {
  const model = languageModelOf(settings);
  if (model !== null) return consolidateWith(model, settings.modelName ?? "");
  return { model: null, promptOf: () => "", ask: async (source) => extractModel(source) };
}
