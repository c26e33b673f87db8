/** Tokens that one answer of a model took. */
export interface TokenUsage {
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** Told of each answer, those that are refused later among them: they cost as much. */
export type Spend = (usage: TokenUsage) => void;
