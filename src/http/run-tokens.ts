import type { Claims } from "../domain/principal.js";

/**
 * For whom a new run's own token is: its agent, inside this run alone. External ids, the run is ours. Subject and session
 * are absent where neither the request nor the caller's credential names them, as for a child's run: the run says enough.
 */
export interface NewRun {
  /** Of the caller that started the run. */
  readonly claims: Claims;
  readonly subject?: string | undefined;
  readonly session?: string | undefined;
  readonly run: string;
}

/** Issues the token that a run hands to its agent. */
export type RunTokens = (run: NewRun) => Promise<string>;

/**
 * Adds the run's own token to the reply that started it, for the application that runs it. A person who started it gets
 * none: an agent writes stages and the loop of its run, which the people who talk in it may not. The token is made anew
 * where the reply is repeated, and stored nowhere.
 */
export async function withRunToken(
  runTokens: RunTokens,
  claims: Claims,
  { subject = claims.subject, session = claims.session }: Readonly<Record<string, string>>,
  reply: { readonly run_id?: string },
): Promise<object> {
  if (claims.kind !== "service") return reply;
  const token = await runTokens({ claims, subject, session, run: reply.run_id ?? "" });
  return { ...reply, run_token: token };
}
