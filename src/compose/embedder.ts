import type { Settings } from "../config/settings.js";
import type { Embedder } from "../domain/embedder.js";
import { MunimentError } from "../domain/errors.js";
import { createEndpointEmbedder } from "../models/endpoint-embedder.js";
import { createEnglishEmbedder } from "../models/english-embedder.js";

/** The embedder of the settings; null where recall goes by words alone. */
export function openEmbedder(settings: Settings): Embedder | null {
  const { embedder, embedderModel, embedderKey } = settings;
  if (embedder === undefined) return null;
  if (embedder === "english") return createEnglishEmbedder();
  if (embedderModel !== undefined)
    return createEndpointEmbedder({ url: embedder, model: embedderModel, key: embedderKey });
  throw new MunimentError("invalid_input", "an embedding endpoint needs the name of its model", {
    field: "embedderModel",
  });
}
