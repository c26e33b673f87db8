import { findCredential, isChainOfThought } from "./credential-text.js";
import { statesKycDecision } from "./kyc.js";

/** Marks that turn the direction of a text, and tags: they show a reader something else than they hold. */
const MISLEADING = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

/** Why a text isn't kept as an observation, whoever said it; null where it may be. */
export function refusedInObservation(text: string): string | null {
  if (findCredential(text) !== null) return "holds a token or a credential";
  if (isChainOfThought(text)) return "holds a model's reasoning";
  if (MISLEADING.test(text)) return "holds marks of direction, or tags, that nobody sees";
  return statesKycDecision(text) ? "is a verdict of an identity check" : null;
}
