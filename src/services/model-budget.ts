import type { Deriver } from "../domain/deriver.js";
import { MunimentError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import { type TokenUsage, usageDay } from "../domain/model-usage.js";
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

/**
 * What is answered of a source, not believed yet: where a language model is asked, within what the tenant's day has left. What the
 * question may take is set aside first, so that workers side by side don't spend it twice; a process that dies in between
 * leaves it set aside until the day is over. Throws `rate_limited` where not enough is left, `too_large` where no day has enough.
 */
export async function askWithinBudget<Source>(
  services: Services,
  caller: Caller,
  task: "observe" | "consolidate" | "digest",
  { asked, source }: { readonly asked: Deriver<Source>; readonly source: Source },
): Promise<unknown> {
  if (asked.model === null) return await asked.ask(source, () => undefined);
  const perDay = services.modelTokensPerDay;
  const job = await jobCaller(services, "models", caller.principal.claims.tenant);
  const account = { day: usageDay(services.clock.now()), task };
  const reserved = perDay === null ? 0 : tokensOf(services.countTokens(asked.promptOf(source)));
  if (perDay !== null && reserved > perDay)
    throw new MunimentError(
      "too_large",
      "the question takes more tokens than a tenant has in a whole day: raise that bound, then retry the job",
      {
        field: "model_tokens_per_day",
      },
    );
  await keepBooks(services, job, 0, (permit) => [
    openUsage(permit, account),
    lockUsage(permit, account),
    ...(perDay === null ? [] : [reserveTokens(permit, account, reserved, perDay)]),
  ]);
  const taken: TokenUsage[] = [];
  try {
    return await asked.ask(source, (usage) => taken.push(usage));
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

/** What a question may take, with its answer, where it is put once more. */
function tokensOf(prompt: number): number {
  return 2 * (prompt + LIMITS.modelAnswerTokensMax);
}
