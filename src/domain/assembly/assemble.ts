import { MunimentError } from "../errors.js";
import type { Candidates } from "./candidate.js";
import type { Pack } from "./pack.js";

/** Number of tokens of a text. */
export type CountTokens = (text: string) => number;

export interface AssembleOptions {
  /** Cap of the rendered text in tokens, heading and block marks included. */
  readonly tokensMax: number;
  readonly countTokens: CountTokens;
  /** Marks the run's blocks: `blockNonce(runId)`. */
  readonly nonce: string;
}

/**
 * Puts what a run may remember into one pack, never above the cap.
 * Throws `cap_too_small` where what may not be dropped is above it.
 */
export function assemble(_candidates: Candidates, _options: AssembleOptions): Pack {
  throw new MunimentError("internal", "not there yet");
}
