import { MunimentError } from "../../domain/errors.js";
import { isDeeperThan } from "../../domain/json-depth.js";
import { LIMITS } from "../../domain/limits.js";
import { type LanguageModel, MalformedAnswer, type ObjectRequest } from "../language-model.js";
import { boundedFetch, UnboundedBody } from "./bounded-fetch.js";
import { countedTokens } from "./counted-tokens.js";

export interface OpenAiModelOptions {
  /** Base address of an OpenAI-compatible service, such as `https://…/v1`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  /** Milliseconds that one question may take, its repetitions included. */
  readonly msMax?: number;
}

/** A model behind an OpenAI-compatible service, asked for structured output. Bounded in time, in retries and in what it answers. */
export function openAiModel({
  url,
  model,
  key,
  msMax = LIMITS.modelMsMax,
}: OpenAiModelOptions): LanguageModel {
  return {
    async object(request) {
      const { name, schema, system, prompt } = request;
      const { ai, provider } = await loadSdk();
      const create = provider.createOpenAICompatible({
        name: "muniment",
        baseURL: url,
        fetch: boundedFetch,
        // Without it the schema would be dropped in silence.
        supportsStructuredOutputs: true,
        ...(key === undefined ? {} : { apiKey: key }),
      });
      try {
        const answer = await ai.generateObject({
          model: ai.wrapLanguageModel({ model: create(model), middleware: counting(request) }),
          schema: ai.jsonSchema(schema),
          schemaName: name,
          system,
          prompt,
          temperature: 0,
          maxOutputTokens: LIMITS.modelAnswerTokensMax,
          maxRetries: LIMITS.modelRetriesMax,
          abortSignal: AbortSignal.timeout(msMax),
        });
        return answer.object;
      } catch (error) {
        throw faultOf(ai, error);
      }
    },
  };
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>["ai"];
type Middleware = Exclude<
  Parameters<Sdk["wrapLanguageModel"]>[0]["middleware"],
  readonly unknown[]
>;

/** Counts each answer before anything is made of it: whatever it turns out to be, it was paid for. */
function counting(request: ObjectRequest): Middleware {
  const { spent = () => undefined } = request;
  return {
    specificationVersion: "v3",
    wrapGenerate: async ({ doGenerate }) => {
      try {
        const { usage, content, ...answer } = await doGenerate();
        const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
        const said = { in: usage.inputTokens.total, out: usage.outputTokens.total };
        spent(countedTokens(said, request, text.length));
        if (isDeeperThan(LIMITS.jsonDepthMax, Buffer.from(text)))
          throw new MalformedAnswer(null, "is nested too deeply");
        return { usage, content, ...answer };
      } catch (error) {
        if (!(error instanceof UnboundedBody)) throw error;
        spent(countedTokens({ in: undefined, out: undefined }, request, error.bytes));
        throw new MalformedAnswer(error, "is too long");
      }
    },
  };
}

function faultOf(ai: Sdk, error: unknown): Error {
  const fault = ai.RetryError.isInstance(error) ? error.lastError : error;
  if (fault instanceof MalformedAnswer) return fault;
  if (!ai.NoObjectGeneratedError.isInstance(fault)) return noAnswer(error);
  return fault.finishReason === "length"
    ? new MalformedAnswer(fault, "was cut off before its end: say less")
    : new MalformedAnswer(fault);
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
