import { beforeAll, expect, it } from "vitest";
import type { ObservationBody } from "../../src/domain/observation.js";
import { describeEachDatabase } from "../setup/databases.js";
import { type Line, linesOf } from "../support/archived-person.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

const SAID = "I want to walk to the lake";
const IN_THE_WARD = "I want to go home from the ward";
const DANGER = "I am allergic to penicillin.";
const OVER = "I am no longer allergic to penicillin.";

describeEachDatabase("observations of an archive", (database) => {
  let m: TestMuniment;
  let lines: readonly Line[];
  let chat: string;
  let people = 0;

  const officer = (tenant: string) =>
    m.as({ id: "pia", kind: "human", roles: ["privacy_officer"], tenant });

  beforeAll(async () => {
    m = await openTestMuniment(database);
    for (const tenant of ["bank-au", "bank-nz"])
      for (const route of ["chat", "ward"])
        await m.operator(tenant).putRoute(route, routeBody({ recall_from: [] }));
    chat = await say("chat", SAID);
    await say("ward", DANGER);
    await say("ward", IN_THE_WARD);
    await m.app().closeSession("jane", "one", { compress: false });
    await m.jobs.run();
    m.clock.forward({ hours: 1 });
    await say("ward", OVER, "two");
    await m.app().closeSession("jane", "two", { compress: false });
    await m.jobs.run();
    lines = await linesOf(officer("bank-au").exportSubject("jane"));
  });

  async function say(route: string, text: string, session = "one"): Promise<string> {
    const { run_id } = await m.app().startRun("jane", session, { route_id: route, goal: "Talk" });
    await m.app().appendTurns(run_id, { turns: [{ role: "user", text }] });
    return run_id;
  }

  /** What becomes of the ward's observation, changed so, in the memory of somebody new. */
  async function become(change: (line: Line) => object, isBehind = false) {
    const person = `jane-${people++}`;
    const subject = { ...lines.find(({ kind }) => kind === "subject"), subject: person };
    const take = async (some: readonly object[]) =>
      (await officer("bank-nz").importSubject(person, { subject, lines: some } as never)).lines;
    const memory = lines.filter(({ kind }) => !["manifest", "subject", "trailer"].includes(kind));
    const others = memory.filter((line) => !isOfWard(line));
    const own = memory.filter(isOfWard).map((line) => ({ ...line, ...change(line) }));
    // Behind its turns in a later request, or beside them.
    if (isBehind) await take(others);
    return (await take(isBehind ? own : [...others, ...own])).at(-1);
  }

  /** The observation of that text in the memory of the last one. */
  async function there(text: string) {
    const own = await linesOf(officer("bank-nz").exportSubject(`jane-${people - 1}`));
    return own.find((line) => line.kind === "observation" && textOf(line as never) === text);
  }
  const here = (text: string) =>
    lines.find((line) => line.kind === "observation" && textOf(line as never) === text) as Line;

  const isOfWard = (line: object) => "body" in line && textOf(line as never) === IN_THE_WARD;
  const textOf = ({ body }: { readonly body: ObservationBody }) => body.text;
  const bodyOf = (line: Line) => line.body as ObservationBody;

  it("S5-14 an observation comes in with its turns, or behind them", async () => {
    expect(lines.filter(({ kind }) => kind === "observation")).toHaveLength(4);
    for (const isBehind of [false, true])
      expect(await become(() => ({}), isBehind)).toMatchObject({ status: "imported" });
  });

  it("S1-20 S5-14 an archive moves no observation to a route whose turns it doesn't cite", async () => {
    const moved = { run_id: chat, route_id: "chat" };
    for (const isBehind of [false, true])
      expect(await become(() => moved, isBehind)).toMatchObject({
        status: "skipped",
        reason: "parent_missing",
      });
  });

  it("S5-14 an archive invents no observation: neither words, nor a dimension, a speaker or a longer life", async () => {
    const refused: readonly [string, (line: Line) => object][] = [
      ["body.text", (line) => ({ body: { ...bodyOf(line), text: "Wants to buy a castle" } })],
      [
        "body.quotes",
        (line) => ({
          body: {
            ...bodyOf(line),
            quotes: bodyOf(line).quotes.map((quote) => ({ ...quote, end: 99_999 })),
          },
        }),
      ],
      ["speaker", () => ({ speaker: "Olga" })],
      ["expires_at", () => ({ expires_at: "2999-01-01T00:00:00.000Z" })],
    ];
    for (const [field, change] of refused)
      expect(await become(change), field).toMatchObject({
        status: "refused",
        refusal: { field },
      });
    expect(await become(() => ({ dimension_id: "no_such_dimension" }))).toMatchObject({
      status: "skipped",
      reason: "definition_differs",
    });
    expect(await become(() => ({ turn_ids: [chat] }))).toMatchObject({ status: "skipped" });
  });

  it("S5-14 how far an observation is believed follows from its turns, whatever the file says", async () => {
    const given = { tier: "inferred", basis: "generated", is_safety: true };
    expect(await become(() => given)).toMatchObject({ status: "imported" });
    const { tier, basis, is_safety } = here(IN_THE_WARD);
    expect(await there(IN_THE_WARD)).toMatchObject({ tier, basis, is_safety });
    expect(tier).toBe("reported");
  });

  it("S4-06 S4-13 S5-14 an archive takes nothing back that its turns don't, and keeps what they do", async () => {
    const given = { supersedes: here(DANGER).observation_id };
    expect(here(OVER)).toMatchObject(given);
    for (const isBehind of [false, true]) {
      expect(await become(() => given, isBehind)).toMatchObject({ status: "imported" });
      expect(await there(IN_THE_WARD)).toMatchObject({ supersedes: null });
      const danger = await there(DANGER);
      expect(danger?.observation_id).toBeDefined();
      expect(await there(OVER)).toMatchObject({ supersedes: danger?.observation_id });
    }
    expect(m.alarms).toEqual([]);
  });

  it("S4-14 S5-14 when something was observed, and of which words, follows from its turns as well", async () => {
    const { observed_at } = here(IN_THE_WARD);
    const given = {
      observed_at: "9999-12-31T00:00:00.000Z",
      body: { ...bodyOf(here(IN_THE_WARD)), said: "nothing" },
    };
    expect(await become(() => given)).toMatchObject({ status: "imported" });
    expect(await there(IN_THE_WARD)).toMatchObject({
      observed_at,
      body: { said: bodyOf(here(IN_THE_WARD)).said },
    });
  });
});
