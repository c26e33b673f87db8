import type { Observer, ObserveSource } from "../../src/domain/observation.js";
import { findObservations } from "../../src/domain/observe-extract.js";
import { inOneGo } from "../../src/domain/steps.js";
import type { AppendTurnsBody } from "../../src/services/bodies.js";
import type { Services } from "../../src/services/services.js";
import type { DatabaseKind } from "../setup/databases.js";
import { observationsOf } from "./kept-observations.js";
import { openTestMuniment, routeBody, type TestMuniment } from "./muniment.js";

export const MORNING = "I prefer calls in the morning.";

export const user = (text: string, more: object = {}) => ({ role: "user", text, ...more });

/** What the observer without a model says. */
export const quotes = async (source: ObserveSource) => inOneGo(findObservations(source));

/** A Muniment with the routes that people talk under. */
export async function openTalks(database: DatabaseKind): Promise<TestMuniment> {
  const m = await openTestMuniment(database);
  for (const route of ["chat", "other"]) await m.operator().putRoute(route, routeBody());
  return m;
}

/** People who talk in a Muniment, and what is observed of them. */
export function talksIn(muniment: () => TestMuniment) {
  let people = 0;
  let sessions = 0;
  return {
    person: () => `person-${people++}`,
    /** Says it in a chat of its own and, unless told otherwise, closes that. */
    async talk(
      subject: string,
      turns: readonly object[],
      { route = "chat", closes = true, app = muniment().app() } = {},
    ) {
      const session = `s${sessions++}`;
      const { run_id } = await app.startRun(subject, session, { route_id: route, goal: "Talk" });
      const { turn_ids } = await app.appendTurns(run_id, { turns } as unknown as AppendTurnsBody);
      const talked = { session, run: run_id, turn: turn_ids[0] ?? "" };
      if (!closes) return { ...talked, work: "" };
      const { observe_work_id } = await app.closeSession(subject, session, { compress: false });
      return { ...talked, work: observe_work_id ?? "" };
    },
    textsOf: async (subject: string) =>
      (await observationsOf(muniment(), subject)).map(({ text }) => text),
    async workOf(id: string) {
      const wanted = "select * from muniment.work where work_id = $1";
      const [row] = await muniment().db.query(wanted, [id]);
      return row as { tenant_id: string; state: string; attempts: number; problem: string };
    },
    /** Services whose observer does this instead; with a model's name it is counted. */
    observing: (ask: Observer["ask"], more: Partial<Services> = {}): Services => ({
      ...muniment().services,
      observer: { model: "scripted", promptOf: () => "", ask },
      ...more,
    }),
  };
}
