import type { TokenUsage } from "../../domain/model-usage.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

interface Account {
  /** Day in UTC, as `YYYY-MM-DD`. */
  readonly day: string;
  readonly task: string;
}

/** Makes the day's row of the task where there is none. */
export function openUsage(permit: Permit, { day, task }: Account): Statement {
  const { tenant } = tenantScope(permit);
  return sql`
    insert into muniment.model_usage (tenant_id, day, task, calls, tokens_in, tokens_out, tokens_reserved)
    values (${tenant}::uuid, ${day}::date, ${task}::text, 0, 0, 0, 0)
    on conflict (tenant_id, day, task) do nothing`;
}

/** Waits for whoever reserves of the same day: in a statement of its own, so that the next one sees what was waited for. */
export function lockUsage(permit: Permit, { day }: Pick<Account, "day">): Statement {
  const { tenant } = tenantScope(permit);
  return sql`
    with held as (
      select task from muniment.model_usage where tenant_id = ${tenant} and day = ${day}::date order by task for update
    )
    select count(*) from held`;
}

/**
 * Sets tokens aside for a question. Fails with `budget_spent` where the day hasn't as many left, and with `budget_reserved` where
 * it may have them again once the questions under way are answered.
 */
export function reserveTokens(
  permit: Permit,
  { day, task }: Account,
  tokens: number,
  perDay: number,
): Statement {
  const { tenant } = tenantScope(permit);
  return sql`
    with account as (
      select coalesce(sum(tokens_in + tokens_out), 0) as spent, coalesce(sum(tokens_reserved), 0) as reserved
      from muniment.model_usage where tenant_id = ${tenant} and day = ${day}::date
    ), reserved as (
      update muniment.model_usage set tokens_reserved = tokens_reserved + ${tokens}::bigint
      where tenant_id = ${tenant} and day = ${day}::date and task = ${task}::text
        and (select a.spent + a.reserved from account a) + ${tokens}::bigint <= ${perDay}::bigint
      returning task
    )
    select muniment.require(exists (select 1 from reserved), case
      when (select a.spent from account a) + ${tokens}::bigint <= ${perDay}::bigint then 'budget_reserved'
      else 'budget_spent' end)`;
}

/** Writes down what a question took, and lets go of what was set aside for it. */
export function settleTokens(
  permit: Permit,
  { day, task }: Account,
  reserved: number,
  taken: readonly TokenUsage[],
): Statement {
  const { tenant } = tenantScope(permit);
  const tokensIn = taken.reduce((sum, usage) => sum + usage.tokensIn, 0);
  const tokensOut = taken.reduce((sum, usage) => sum + usage.tokensOut, 0);
  return sql`
    update muniment.model_usage
    set calls = calls + ${taken.length}::bigint, tokens_in = tokens_in + ${tokensIn}::bigint,
      tokens_out = tokens_out + ${tokensOut}::bigint, tokens_reserved = tokens_reserved - ${reserved}::bigint
    where tenant_id = ${tenant} and day = ${day}::date and task = ${task}::text`;
}
