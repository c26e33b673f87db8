import { extractModel } from "../domain/consolidate-extract.js";
import type { Deriver } from "../domain/deriver.js";
import { extractDigest } from "../domain/digest-extract.js";
import type { ObserveSource } from "../domain/observation.js";
import { findObservations } from "../domain/observe-extract.js";
import { givingWay } from "../domain/steps.js";
import type { LanguageModel } from "../models/language-model.js";
import { consolidateWith } from "../models/model-consolidator.js";
import { digestWith } from "../models/model-digest.js";
import { observeWith } from "../models/model-observer.js";
import type { Services } from "../services/services.js";
import { languageModelOf, type ModelSettings } from "./language-model.js";

/** Who makes digests, observations and models of persons of what was said. */
export type Derivers = Pick<Services, "digester" | "observer" | "consolidator">;

/** By the language model of the settings; by quotes, where they name none. */
export function deriversOf(settings: ModelSettings): Derivers {
  const model: LanguageModel | null = languageModelOf(settings);
  if (model === null)
    return {
      digester: quoting(extractDigest),
      observer: quoting((source: ObserveSource) => givingWay(findObservations(source))),
      consolidator: quoting(extractModel),
    };
  const name = settings.modelName ?? "";
  return {
    digester: digestWith(model, name),
    observer: observeWith(model, name),
    consolidator: consolidateWith(model, name),
  };
}

function quoting<Source>(extract: (source: Source) => unknown): Deriver<Source> {
  return { model: null, promptOf: () => "", ask: async (source) => extract(source) };
}
