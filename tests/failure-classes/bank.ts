import type { Retrieval } from "../../src/services/retrieval.js";
import type { DatabaseKind } from "../setup/databases.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

export interface Bank extends TestMuniment {
  /** A run of a customer's, in a session of its own where none is named. */
  start(customer: string, route: string, session?: string): Promise<string>;
  /** A run in which a customer has said something. */
  say(customer: string, route: string, session: string, ...texts: string[]): Promise<string>;
  /** Audit rows of a run's refusals, newest first. */
  refusals(run: string): Promise<readonly object[]>;
}

/** A bank whose routes explain fees, look back at accounts, and pay: the last one without long-term memory. */
export async function openBank(
  database: DatabaseKind,
  retrieval: Retrieval | null = null,
): Promise<Bank> {
  const m = await openTestMuniment(database, { retrieval });
  const operator = m.operator();
  await operator.putRoute("fee_explain", routeBody());
  await operator.putRoute("account_history", routeBody({ recall_from: ["fee_explain"] }));
  await operator.putRoute("card_help", routeBody());
  await operator.putRoute(
    "payment_initiate",
    routeBody({ risk: "high", side_effects: "write", profile: { long_term: "none" } }),
  );
  let sessions = 0;
  const start = async (customer: string, route_id: string, session = `session-${sessions++}`) =>
    (await m.app().startRun(customer, session, { route_id, goal: "Help" })).run_id;
  return Object.assign(m, {
    start,
    say: async (customer: string, route: string, session: string, ...texts: string[]) => {
      const run = await start(customer, route, session);
      const turns = texts.map((text) => ({ role: "user", text, speaker: customer }));
      await m.app().appendTurns(run, { turns });
      return run;
    },
    refusals: async (run: string) =>
      (await m.operator().readAudit({ run, verdict: "deny", limit: 50 })).rows,
  });
}
