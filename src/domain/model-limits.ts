/** Bounds of questions to a language model: part of `LIMITS`. */
export const MODEL_LIMITS = {
  /** Milliseconds that one question to a model may take. */
  modelMsMax: 60_000,
  /** Tokens that a question about the shortest chat has, our own words and the schema included. */
  modelPromptTokensMin: 500,
  /** Tokens that one answer of a model may have, and that are set aside for it: what today's models can answer at least. */
  modelAnswerTokensMax: 8_000,
  /** Tokens that a service may count beside the text that it shows: its frame, the schema, what a model thought to itself. */
  modelUnseenTokensMax: 32_000,
  /** Bytes of one answer, its frame included: over a hundred for each such token. */
  modelAnswerBytesMax: 1_048_576,
  /** Times that a question to a model is sent again where the way to it fails. */
  modelRetriesMax: 2,
} as const;
