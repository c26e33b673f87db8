import { isLoopback, type Settings } from "../config/settings.js";
import { MunimentError } from "../domain/errors.js";
import { openAiModel } from "../models/drivers/openai-model.js";
import type { LanguageModel } from "../models/language-model.js";

export type ModelSettings = Partial<Pick<Settings, "modelUrl" | "modelName" | "modelKey">>;

/** The language model of the settings; null where they name none. What people said leaves this machine under TLS alone. */
export function languageModelOf({
  modelUrl,
  modelName,
  modelKey,
}: ModelSettings): LanguageModel | null {
  if (modelUrl === undefined) return null;
  if (modelName === undefined)
    throw new MunimentError("invalid_input", "`modelUrl` needs a `modelName`", {
      field: "modelName",
    });
  const { protocol, hostname } = new URL(modelUrl);
  if (protocol === "http:" && !isLoopback(hostname))
    throw new MunimentError("invalid_input", "the model needs an https URL", {
      field: "modelUrl",
    });
  return openAiModel({ url: modelUrl, model: modelName, key: modelKey });
}
