import type { Settings } from "../../config/settings.js";
import { languageModelOf } from "../language-model.js";
import { bad, type Check, good, looked } from "./check.js";

const ANSWER_MS_MAX = 5_000;

/** Whether something answers where the language model should. Nothing is asked of it: a question would cost tokens. */
export function checkModel(settings: Settings): Promise<Check> {
  return looked("model", async () => {
    const { modelUrl, modelName, modelKey } = settings;
    if (modelUrl === undefined) return good("model", "none: people are quoted, without a model");
    languageModelOf(settings);
    const reply = await fetch(`${modelUrl.replace(/\/$/, "")}/models`, {
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      headers: modelKey === undefined ? {} : { authorization: `Bearer ${modelKey}` },
    }).catch(() => null);
    if (reply === null) return unsound("doesn't answer: jobs that ask it wait, then are parked");
    await reply.body?.cancel();
    if (reply.status === 401 || reply.status === 403) return unsound("refuses the key");
    // Not every compatible service lists its models: one that answers at all is there.
    return reply.status >= 500
      ? unsound(`answers with ${reply.status}`)
      : good("model", `${modelName} is asked, and its service answers`);
  });
}

function unsound(problem: string): Check {
  return {
    ...bad("model", `the service at MUNIMENT_MODEL_URL ${problem}`),
    next_step:
      "see to its address, name and key; then: muniment jobs list --state parked, and jobs retry",
  };
}
