import type { Observer } from "../domain/observation.js";
import { extractObservations } from "../domain/observe-extract.js";
import { observeWith } from "../models/model-observer.js";
import { languageModelOf, type ModelSettings } from "./language-model.js";

/** Quotes, where the settings name no model. */
export function observerOf(settings: ModelSettings): Observer {
  const model = languageModelOf(settings);
  if (model !== null) return observeWith(model, settings.modelName ?? "");
  return { model: null, promptOf: () => "", ask: async (source) => extractObservations(source) };
}
