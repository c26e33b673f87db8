import { resumeRoute, runRoute } from "../../src/adapters/run-route/run-route.js";
import type { Retrieval } from "../../src/services/retrieval.js";
import type { DatabaseKind } from "../setup/databases.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";
import { openScriptedModel, type ScriptedModel } from "../support/scripted-model.js";

/** Said in an earlier chat of each route that recalls. */
export const DISPUTE = "I disputed the ATM fee of $42 in February";

export interface PatternBank {
  readonly m: TestMuniment;
  readonly scripted: ScriptedModel;
  /** A new subject with an earlier chat, in which the dispute was said under this route. */
  person(route: string): Promise<string>;
  run(
    subject: string,
    route: string,
    options?: Partial<Parameters<typeof runRoute>[1]>,
  ): ReturnType<typeof runRoute>;
  resume(
    subject: string,
    options?: Partial<Parameters<typeof resumeRoute>[1]>,
  ): ReturnType<typeof resumeRoute>;
  putRoute(route: string, body: Parameters<typeof routeBody>[0]): Promise<unknown>;
  /**
   * Audit rows of the newest run in their order: operation, refusal, first kind that was written. Bad input is refused
   * before its run is looked up, so rows since its start count too.
   */
  audited(run: string): Promise<readonly string[]>;
}

export async function openPatternBank(
  database: DatabaseKind,
  options: { readonly retrieval?: Retrieval } = {},
): Promise<PatternBank> {
  const m = await openTestMuniment(database, options);
  const scripted = await openScriptedModel();
  let people = 0;
  const common = { model: scripted.model, model_retries_max: 0 };
  return {
    m,
    scripted,
    person: async (route) => {
      people += 1;
      const subject = `person-${people}`;
      const { run_id } = await m
        .app()
        .startRun(subject, "earlier", { route_id: route, goal: "Complain" });
      await m.app().appendTurns(run_id, { turns: [{ role: "user", text: DISPUTE }] });
      return subject;
    },
    run: (subject, route, options) =>
      runRoute(m.app(), {
        subject,
        session: "now",
        route_id: route,
        goal: "Explain the ATM fee",
        ...common,
        ...options,
      }),
    resume: (subject, options) =>
      resumeRoute(m.app(), { subject, session: "now", ...common, ...options }),
    putRoute: (route, body) => m.operator().putRoute(route, routeBody(body)),
    audited: async (run) => {
      const rows = await m.db.query<{ what: string }>(
        `select concat_ws(' ', operation, refusal, memory_writes -> 0 ->> 'kind') as what
         from muniment.audit
         where run_id = $1 or (run_id is null and verdict = 'deny'
           and audit_id > (select min(audit_id::text)::uuid from muniment.audit where run_id = $1))
         order by audit_id`,
        [run],
      );
      return rows.map(({ what }) => what);
    },
  };
}
