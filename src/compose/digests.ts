import { extractDigest } from "../domain/digest-extract.js";
import { digestWith } from "../models/model-digest.js";
import type { Services } from "../services/services.js";
import { languageModelOf, type ModelSettings } from "./language-model.js";

/** Quotes, where the settings name no model. */
export function digestsOf(settings: ModelSettings): Services["digest"] {
  const model = languageModelOf(settings);
  return model === null ? async (source) => extractDigest(source) : digestWith(model);
}
