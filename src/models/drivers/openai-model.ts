import { MunimentError } from "../../domain/errors.js";
import { LIMITS } from "../../domain/limits.js";
import { type LanguageModel, MalformedAnswer } from "../language-model.js";

export interface OpenAiModelOptions {
  /** Base address of an OpenAI-compatible service, such as `https://…/v1`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
}

/** A model behind an OpenAI-compatible service, asked for structured output. Bounded in time and in retries. */
export function openAiModel({ url, model, key }: OpenAiModelOptions): LanguageModel {
  return {
    async object({ name, schema, system, prompt }) {
      const { ai, provider } = await loadSdk();
      const create = provider.createOpenAICompatible({
        name: "muniment",
        baseURL: url,
        // Without it the schema would be dropped in silence.
        supportsStructuredOutputs: true,
        ...(key === undefined ? {} : { apiKey: key }),
      });
      try {
        const answer = await ai.generateObject({
          model: create(model),
          schema: ai.jsonSchema(schema),
          schemaName: name,
          system,
          prompt,
          temperature: 0,
          maxRetries: LIMITS.modelRetriesMax,
          abortSignal: AbortSignal.timeout(LIMITS.modelMsMax),
        });
        return answer.object;
      } catch (error) {
        if (ai.NoObjectGeneratedError.isInstance(error)) throw new MalformedAnswer(error);
        throw error;
      }
    },
  };
}

/** Optional packages: a deployment without a model doesn't carry them. */
async function loadSdk() {
  try {
    const [ai, provider] = await Promise.all([import("ai"), import("@ai-sdk/openai-compatible")]);
    return { ai, provider };
  } catch (cause) {
    throw new MunimentError(
      "unavailable",
      "a model needs the packages `ai` and `@ai-sdk/openai-compatible`: install them",
      { cause },
    );
  }
}
