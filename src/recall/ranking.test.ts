import { describe, expect, it } from "vitest";
import { trustedId } from "../domain/ids.js";
import { analyseTurn } from "./analyse.js";
import { SubjectIndex } from "./subject-index.js";

const NOW = new Date("2026-03-15T09:00:00Z");
const ROUTE = trustedId<"RouteId">("r");
const WORKSPACE = trustedId<"WorkspaceId">("w");

interface Said {
  readonly text: string;
  readonly on?: string;
  readonly by?: string;
  readonly session?: string;
  readonly isDerived?: boolean;
}

/** Texts that a question finds, best first. Each stands in a session of its own where none is named. */
function find(said: readonly Said[], question: string, speakerWeight = 1.6): readonly string[] {
  const index = new SubjectIndex();
  for (const [at, { text, on = "2026-03-01", by, session, isDerived = false }] of said.entries()) {
    const observedAt = new Date(`${on}T12:00:00Z`);
    index.add({
      id: trustedId<"TurnId">(String(at)),
      sessionId: trustedId<"SessionId">(session ?? String(at)),
      seq: at,
      workspaceId: WORKSPACE,
      routeId: ROUTE,
      speakerId: null,
      observedAt,
      evidenceUntil: new Date("2027-01-01T00:00:00Z"),
      terms: analyseTurn({ text, speaker: by ?? null, isDerived, observedAt }),
    });
  }
  const filter = { workspace: WORKSPACE, routes: new Set([ROUTE]), now: NOW, limit: 50 };
  const { hits } = index.search({ question, speakerWeight }, filter);
  return hits.map(({ id }) => said[Number(id)]?.text ?? "");
}

const chatter = (count: number): readonly Said[] =>
  Array.from({ length: count }, (_, n) => ({
    text: `we spoke about topic number${n} for a while`,
  }));

describe("ranking", () => {
  it("S4-11 an answer that repeats no word of its question is found by the turn before it", () => {
    const said = [
      { text: "where do you want the new card to be sent?", session: "a" },
      { text: "to my sister in Leeds", session: "a" },
      { text: "it rained all week", session: "b" },
      ...chatter(30),
    ];
    expect(find(said, "where is the new card sent").slice(0, 2)).toContain("to my sister in Leeds");
  });

  it("S4-11 a turn of the speaker whom the question names comes first, unless that is turned off", () => {
    const said = [
      { text: "I have been to the opera with all of my cousins", by: "Ann" },
      { text: "I have been to the opera, as it is an opera that Ann wrote", by: "Ben" },
      ...chatter(5),
    ];
    const [hers = "", his = ""] = said.map(({ text }) => text);
    expect(find(said, "has Ann been to the opera")[0]).toBe(hers);
    expect(find(said, "has Ann been to the opera", 1)[0]).toBe(his);
  });

  it("S5-07 what somebody stated comes before what was made of it, though that says it better", () => {
    const said = [
      { text: "my office is on floor 9" },
      { text: "your office is on floor 9", isDerived: true },
    ];
    expect(find(said, "office floor 9")[0]).toBe("my office is on floor 9");
    expect(find(said.toReversed(), "office floor 9")[0]).toBe("my office is on floor 9");
  });

  it("S4-11 of two statements the current one comes first, and the older one is still found", () => {
    const said = [
      { text: "My office is on floor 3", on: "2025-08-27" },
      { text: "My office is now on floor 9", on: "2026-03-14" },
    ];
    for (const order of [said, said.toReversed()]) {
      expect(find(order, "which floor is my office?")[0]).toBe("My office is now on floor 9");
      expect(find(order, "where was my office before?")).toContain("My office is on floor 3");
      expect(find(order, "what is my current office floor 3").toSorted()).toEqual(
        said.map(({ text }) => text).toSorted(),
      );
    }
  });

  it("S4-11 a question for the present prefers what is new to what says a little more", () => {
    const said = [
      { text: "I work at the bakery, the bakery in town", on: "2025-01-01" },
      { text: "I work at the museum", on: "2026-03-01" },
    ];
    expect(find(said, "where do I work at the bakery or museum")[0]).toContain("bakery");
    expect(find(said, "where do I currently work")[0]).toContain("museum");
  });

  it("S4-11 a time in the question lifts what was said then, and drops nothing", () => {
    const said = [
      { text: "lunch with Omar", on: "2025-05-12" },
      { text: "lunch with Petra and Omar and lunch again", on: "2026-02-01" },
    ];
    expect(find(said, "lunch last May")[0]).toBe("lunch with Omar");
    expect(find(said, "lunch last May")).toHaveLength(2);
  });

  it("S4-11 before and after an event are told by when the event was spoken of", () => {
    const said = [
      { text: "the doctor gave me ibuprofen", on: "2025-02-01" },
      { text: "my knee operation went well", on: "2025-06-01" },
      { text: "the doctor gave me morphine", on: "2025-06-20" },
    ];
    expect(find(said, "what did the doctor give me before my knee operation")[0]).not.toContain(
      "morphine",
    );
    expect(find(said, "what did the doctor give me after the operation")[0]).not.toContain(
      "ibuprofen",
    );
  });

  it.each([
    "Which hotel did the dentist recommend for the conference in Zagreb?",
    "Who feeds my grandmother's parrot?",
    "Wann läuft mein Vertrag bei der Versicherung aus?",
    "我的保险合同什么时候到期",
  ])("S4-12 finds nothing where nothing was said of it: %s", (question) => {
    expect(find([...chatter(40), { text: "my name is Jo" }], question)).toEqual([]);
  });

  it("S4-12 a long question finds what one of its sentences is about", () => {
    const letters = Array.from("bcdfghjklmnpqrst");
    const filler = letters.map((one) => `xy${one.repeat(3)}`).join(" ");
    const said = [...chatter(40), { text: "the walrus at the zoo is called Bob" }];
    expect(find(said, `${filler} walrus ${filler}`)).toEqual([
      "the walrus at the zoo is called Bob",
    ]);
  });
});
