import { extractModel } from "../domain/consolidate-extract.js";
import { consolidateWith } from "../models/model-consolidator.js";
import type { Services } from "../services/services.js";
import { languageModelOf, type ModelSettings } from "./language-model.js";

/** Quotes, where the settings name no model. */
export function consolidatorOf(settings: ModelSettings): Services["consolidate"] {
  const model = languageModelOf(settings);
  return model === null ? async (source) => extractModel(source) : consolidateWith(model);
}
