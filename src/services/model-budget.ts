import { LIMITS } from "../domain/limits.js";
import type { Spend, TokenUsage } from "../domain/model-usage.js";
import type { ObserveSource } from "../domain/observation.js";
import {
  lockUsage,
  openUsage,
  reserveTokens,
  settleTokens,
} from "../storage/queries/model-usage-write.js";
import type { Statement } from "../storage/sql.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import { jobCaller } from "./job-caller.js";
import type { Services } from "./services.js";

/** Characters of one token where text has few: more would be hoped for, not counted on. */
const CHARS_PER_TOKEN = 3;
/** Tokens of our own words, of the schema and of the answer. */
const BESIDE_TEXT = 4_000;

/** What a question over that many characters takes at most, a repetition included. */
export function tokensOf(chars: number): number {
  return 2 * (Math.ceil(chars / CHARS_PER_TOKEN) + BESIDE_TEXT);
}

/**
 * Asks a model within what the tenant's day has left. What the question may take is set aside first, so that workers side by
 * side don't spend it twice; a process that dies in between leaves it set aside until the day is over. Throws `rate_limited`
 * where not enough is left.
 */
export async function withinBudget<Answer>(
  services: Services,
  caller: Caller,
  { task, tokens }: { readonly task: string; readonly tokens: number },
  ask: (spent: Spend) => Promise<Answer>,
): Promise<Answer> {
  const perDay = services.modelTokensPerDay;
  const job = await jobCaller(services, "models", caller.principal.claims.tenant);
  const account = { day: services.clock.now().toISOString().slice(0, 10), task };
  const reserved = perDay === null ? 0 : tokens;
  await keepBooks(services, job, 0, (permit) => [
    openUsage(permit, account),
    lockUsage(permit, account),
    ...(perDay === null ? [] : [reserveTokens(permit, account, tokens, perDay)]),
  ]);
  const taken: TokenUsage[] = [];
  try {
    return await ask((usage) => taken.push(usage));
  } finally {
    const count = taken.reduce((sum, { tokensIn, tokensOut }) => sum + tokensIn + tokensOut, 0);
    await keepBooks(services, job, count, (permit) => [
      settleTokens(permit, account, reserved, taken),
    ]);
  }
}

async function keepBooks(
  services: Services,
  caller: Caller,
  count: number,
  statements: (permit: Parameters<typeof openUsage>[0]) => readonly Statement[],
): Promise<void> {
  await govern(services, caller, "run_work", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    const writes = [{ kind: "model_tokens", ids: [], count }];
    await services.store.transact(permit, (tx) =>
      tx.commit([...statements(permit), op.audit(permit, { writes })]),
    );
  });
}

/** What the observer says of turns, not believed yet; within the budget where it asks a model. */
export async function askObserver(
  services: Services,
  caller: Caller,
  source: ObserveSource,
): Promise<unknown> {
  const { observer } = services;
  if (observer.model === null) return await observer.ask(source, () => undefined);
  const { turns, known, dimensions, model } = source;
  const texts = [
    ...turns.map(({ text }) => text),
    ...known.slice(0, LIMITS.observationsKnownMax).map(({ text }) => text),
    ...dimensions.map(({ description }) => description),
    model ?? "",
  ];
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  const asked = { task: "observe", tokens: tokensOf(chars) };
  return await withinBudget(services, caller, asked, (spent) => observer.ask(source, spent));
}
