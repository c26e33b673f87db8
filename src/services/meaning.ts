import { LIMITS } from "../domain/limits.js";
import { languageOfText } from "../recall/analyse.js";
import { textPieces } from "../recall/text-pieces.js";
import { type Vector, vectorOf } from "../recall/vector.js";
import type { RecallNarrowing } from "./recall-filter.js";
import type { Services } from "./services.js";

/**
 * What a question means, or null where no embedder can tell: there is none, it reads another language, or it doesn't answer
 * in time. INVARIANT: asked for once the policy has allowed the recall, and outside of any transaction.
 */
export async function readMeaning(
  services: Services,
  { query, mode }: Pick<RecallNarrowing, "query" | "mode">,
): Promise<Vector | null> {
  const { embedder } = services;
  if (embedder === null || mode === "phrase" || !isRead(services, query)) return null;
  try {
    const [piece = ""] = textPieces(query, embedder.textCharsMax);
    const [values] = await embedder.embed([piece], AbortSignal.timeout(LIMITS.questionEmbedMsMax));
    return values === undefined ? null : vectorOf(values);
  } catch (cause) {
    // Words still find what they find.
    services.onEmbedderFault(cause);
    return null;
  }
}

export function isRead({ embedder }: Services, text: string): boolean {
  return embedder?.language == null || languageOfText(text) === embedder.language;
}
