import { isLoopback, type Settings } from "../config/settings.js";
import { extractDigest } from "../domain/digest-extract.js";
import { MunimentError } from "../domain/errors.js";
import { openAiModel } from "../models/drivers/openai-model.js";
import { digestWith } from "../models/model-digest.js";
import type { Services } from "../services/services.js";

/** Quotes, where the settings name no model. Conversations leave this machine under TLS alone. */
export function digestsOf({
  modelUrl,
  modelName,
  modelKey,
}: Pick<Settings, "modelUrl" | "modelName" | "modelKey">): Services["digest"] {
  if (modelUrl === undefined) return async (source) => extractDigest(source);
  if (modelName === undefined)
    throw new MunimentError("invalid_input", "`modelUrl` needs a `modelName`", {
      field: "modelName",
    });
  const { protocol, hostname } = new URL(modelUrl);
  if (protocol === "http:" && !isLoopback(hostname))
    throw new MunimentError("invalid_input", "the model needs an https URL", {
      field: "modelUrl",
    });
  return digestWith(openAiModel({ url: modelUrl, model: modelName, key: modelKey }));
}
