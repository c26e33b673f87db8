import { LIMITS } from "../../domain/limits.js";
import type { TokenUsage } from "../../domain/model-usage.js";
import type { ObjectRequest } from "../language-model.js";

/** Characters of one token where text has few: what isn't counted is taken for more than it has, as a rule. */
const CHARS_PER_TOKEN = 3;
/** Characters of one token where text has many: what is said to have had fewer tokens than that wasn't counted. */
const CHARS_PER_TOKEN_MAX = 32;
/** Tokens that a character may take at most, where each of its bytes is one. */
const TOKENS_PER_CHAR_MAX = 4;

/** Tokens as a service says them, each perhaps not at all. */
export interface SaidTokens {
  readonly in: number | undefined;
  readonly out: number | undefined;
}

/** What a service says of itself is believed where it can be a count at all; else its characters are counted. */
export function countedTokens(
  said: SaidTokens,
  { system, prompt }: Pick<ObjectRequest, "system" | "prompt">,
  answerChars: number,
): TokenUsage {
  return {
    tokensIn: countOr(said.in, system.length + prompt.length),
    tokensOut: countOr(said.out, answerChars),
  };
}

function countOr(count: number | undefined, chars: number): number {
  const isCount =
    count !== undefined &&
    Number.isSafeInteger(count) &&
    count * CHARS_PER_TOKEN_MAX >= chars &&
    count <= chars * TOKENS_PER_CHAR_MAX + LIMITS.modelUnseenTokensMax;
  return isCount ? count : Math.ceil(chars / CHARS_PER_TOKEN);
}
