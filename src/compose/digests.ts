import type { Digester } from "../domain/digest.js";
import { extractDigest } from "../domain/digest-extract.js";
import { digestWith } from "../models/model-digest.js";
import { languageModelOf, type ModelSettings } from "./language-model.js";

/** Quotes, where the settings name no model. */
export function digesterOf(settings: ModelSettings): Digester {
  const model = languageModelOf(settings);
  if (model !== null) return digestWith(model, settings.modelName ?? "");
  return { model: null, promptOf: () => "", ask: async (source) => extractDigest(source) };
}
