import { beforeAll, expect, it } from "vitest";
import type { ObservationBody } from "../../src/domain/observation.js";
import { describeEachDatabase } from "../setup/databases.js";
import { type Line, linesOf } from "../support/archived-person.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

const SAID = "I want to walk to the lake";
const IN_THE_WARD = "I want to go home from the ward";

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
    await say("ward", IN_THE_WARD);
    await m.app().closeSession("jane", "one", { compress: false });
    await m.jobs.run();
    lines = await linesOf(officer("bank-au").exportSubject("jane"));
  });

  async function say(route: string, text: string): Promise<string> {
    const { run_id } = await m.app().startRun("jane", "one", { route_id: route, goal: "Talk" });
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

  const isOfWard = (line: object) => "body" in line && textOf(line as never) === IN_THE_WARD;
  const textOf = ({ body }: { readonly body: ObservationBody }) => body.text;
  const bodyOf = (line: Line) => line.body as ObservationBody;

  it("S5-14 an observation comes in with its turns, or behind them", async () => {
    expect(lines.filter(({ kind }) => kind === "observation")).toHaveLength(2);
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
    const there = await linesOf(officer("bank-nz").exportSubject(`jane-${people - 1}`));
    const { tier, basis, is_safety } = lines.find(isOfWard) as Line;
    expect(there.find(isOfWard)).toMatchObject({ tier, basis, is_safety });
    expect(tier).toBe("reported");
  });
});
