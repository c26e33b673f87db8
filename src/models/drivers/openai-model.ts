import { MunimentError } from "../../domain/errors.js";
import { LIMITS } from "../../domain/limits.js";
import type { TokenUsage } from "../../domain/model-usage.js";
import { type LanguageModel, MalformedAnswer, type ObjectRequest } from "../language-model.js";

export interface OpenAiModelOptions {
  /** Base address of an OpenAI-compatible service, such as `https://…/v1`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  /** Milliseconds that one question may take, its repetitions included. */
  readonly msMax?: number;
}

/** A model behind an OpenAI-compatible service, asked for structured output. Bounded in time and in retries. */
export function openAiModel({
  url,
  model,
  key,
  msMax = LIMITS.modelMsMax,
}: OpenAiModelOptions): LanguageModel {
  return {
    async object(request) {
      const { name, schema, system, prompt, spent = () => undefined } = request;
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
          abortSignal: AbortSignal.timeout(msMax),
        });
        spent(usageOf(answer.usage, request, JSON.stringify(answer.object)));
        return answer.object;
      } catch (error) {
        if (!ai.NoObjectGeneratedError.isInstance(error)) throw noAnswer(error);
        spent(usageOf(error.usage, request, error.text ?? ""));
        throw new MalformedAnswer(error);
      }
    },
  };
}

type Counted =
  | { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined }
  | undefined;

/** Characters of one token where text has few: what isn't counted is taken for more than it has, as a rule. */
const CHARS_PER_TOKEN = 3;

/** What a service says of itself is believed where it can be a count at all; else its characters are counted. */
function usageOf(counted: Counted, { system, prompt }: ObjectRequest, answer: string): TokenUsage {
  return {
    tokensIn: countOr(counted?.inputTokens, system + prompt),
    tokensOut: countOr(counted?.outputTokens, answer),
  };
}

function countOr(count: number | undefined, text: string): number {
  const isCount = count !== undefined && count >= 0 && Number.isSafeInteger(count);
  return isCount ? count : Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** Away, refusing or too slow: an operator has to know that it is the model, and neither the job nor its data. */
function noAnswer(cause: unknown): MunimentError {
  return new MunimentError("unavailable", "the model doesn't answer", { field: "model", cause });
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
      { field: "model", cause },
    );
  }
}
