import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { observationsOf } from "../support/kept-observations.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

describeEachDatabase("observe", (database) => {
  let m: TestMuniment;
  let sessions = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    for (const route of ["chat", "other"]) await m.operator().putRoute(route, routeBody());
  });

  type Said = Parameters<ReturnType<TestMuniment["app"]>["appendTurns"]>[1] & object;

  /** Says it in a chat of its own, and closes that. */
  async function talk(
    subject: string,
    turns: readonly object[],
    { route = "chat", session = `s${sessions++}` } = {},
  ): Promise<string> {
    const { run_id } = await m.app().startRun(subject, session, { route_id: route, goal: "Talk" });
    await m.app().appendTurns(run_id, { turns } as unknown as Said);
    await m.app().closeSession(subject, session, { compress: false });
    return session;
  }
  const user = (text: string, more: object = {}) => ({ role: "user", text, ...more });

  it("S4-03 S4-04 S4-05 a closed session leaves what its person said by dimension, with the turn and the place in it", async () => {
    await talk("ann", [user("Hello there. I prefer calls in the morning. Ok, thanks!")]);
    expect(await observationsOf(m, "ann")).toEqual([]);
    expect(await m.jobs.run()).toMatchObject({ done: 2, parked: 0 });
    const [one, ...others] = await observationsOf(m, "ann");
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      dimension: "communication_preference",
      basis: "quoted",
      tier: "reported",
      text: "I prefer calls in the morning.",
      quoted: ["I prefer calls in the morning."],
      model: null,
    });
  });
});
