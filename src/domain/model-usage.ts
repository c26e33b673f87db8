/** Tokens that one answer of a model took. */
export interface TokenUsage {
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** The day that a question is paid from, in UTC, as `YYYY-MM-DD`. */
export function usageDay(now: Date): string {
  return now.toISOString().slice(0, 10);
}

/** Seconds until the next such day. */
export function secondsToNextDay(now: Date): number {
  const next = Date.parse(usageDay(now)) + 86_400_000;
  return Math.ceil((next - now.getTime()) / 1_000);
}

/** Told of each answer, those that are refused later among them: they cost as much. */
export type Spend = (usage: TokenUsage) => void;
