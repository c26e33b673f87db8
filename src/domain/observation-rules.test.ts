import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { at, source, turn } from "../../tests/support/observe-source.js";
import { type DimensionId, type ObservationId, trustedId } from "./ids.js";
import { LIMITS } from "./limits.js";
import type { KnownObservation, ObserveSource } from "./observation.js";
import { parseObservations } from "./observation-rules.js";
import { findObservations } from "./observe-extract.js";
import { foldQuote } from "./quote.js";
import { inOneGo } from "./steps.js";

const MORNING = "I prefer calls in the morning,\n before my shift.";
const SOURCE = source({
  turns: [
    turn("u1", "user", `Hello. ${MORNING}`),
    turn("a1", "assistant", "So you prefer evenings, and you are allergic to penicillin."),
    turn("u2", "user", "ok thanks"),
    turn("o1", "user", "She sleeps badly. I work nights this week.", "other"),
    turn("x1", "tool_result", "customer tier: platinum"),
  ],
});
const GOOD = {
  dimension: "communication_preference",
  text: "Prefers calls in the morning",
  turn_ids: ["u1"],
  quotes: ["I prefer calls in the morning, before my shift."],
};
const parse = (entry: object, given: ObserveSource = SOURCE) =>
  parseObservations({ observations: [entry] }, given);

const MEDICINE = source({
  turns: [
    turn("m1", "user", "I take 5 mg of warfarin every day."),
    turn("m2", "user", "My mother is allergic to penicillin."),
    turn("m3", "user", "I doubt that I am allergic to nuts."),
    turn("m4", "user", "I do n\u200bot eat fish."),
    turn("m5", "user", "ペニシリンのアレルギーではありません。"),
  ],
});

describe("an observation", () => {
  it.each([
    ["a spelled number", "Takes ninety mg of warfarin every day"],
    ["a number in other digits", "Takes ٩٠ mg of warfarin every day"],
    ["another unit", "Takes 5 g of warfarin every day"],
    ["a mark that nobody sees", "Takes 5 mg of warfarin every day\u{e0049}"],
  ])("S4-05 isn't kept with %s", (_name, text) => {
    const entry = { dimension: "change", text, turn_ids: ["m1"] };
    const quotes = ["I take 5 mg of warfarin every day."];
    expect(parse({ ...entry, quotes }, MEDICINE).observed).toEqual([]);
  });

  it("S4-05 is the person's report only as far as its words are theirs", () => {
    const entry = {
      dimension: "change",
      turn_ids: ["m1"],
      quotes: ["I take 5 mg of warfarin every day."],
    };
    const tierOf = (text: string) => parse({ ...entry, text }, MEDICINE).observed[0]?.tier;
    expect(tierOf("Takes 5 mg of warfarin every day")).toBe("reported");
    expect(tierOf("Takes 5 mg of heparin every day")).toBe("inferred");
  });

  it.each([
    ["m2", "I am allergic to penicillin", "allergic to penicillin"],
    ["m3", "Is allergic to nuts", "I am allergic to nuts."],
  ])(
    "S4-06 of a danger stands in the person's sentence, whatever a model makes of it: %s",
    (id, text, quote) => {
      const said = MEDICINE.turns.find((one) => one.id === id)?.text;
      expect(
        parse({ dimension: "reported_context", text, turn_ids: [id], quotes: [quote] }, MEDICINE)
          .observed,
      ).toMatchObject([{ text: said, basis: "quoted", isSafety: true }]);
    },
  );

  it.each([
    ["parted by a mark that nobody sees", "m4", "Eats fish", "I do n\u200bot eat fish."],
    ["in a script without spaces", "m5", "ペニシリンのアレルギーです", "ペニシリンのアレルギー"],
  ])("S4-05 doesn't lose a denial that is %s", (_name, id, text, quote) => {
    const entry = { dimension: "change", text, turn_ids: [id], quotes: [quote] };
    expect(parse(entry, MEDICINE).observed).toEqual([]);
  });

  it("S4-05 has no room beyond the bound of an answer: the person's newest have it, and the others are counted", () => {
    const max = LIMITS.observationsPerAnswerMax;
    const turns = Array.from({ length: max + 6 }, (_, index) =>
      turn(`u${index}`, "user", `I want to read book ${index}.`),
    );
    const { observed, found, dropped } = parseObservations(
      inOneGo(findObservations(source({ turns }))),
      source({ turns }),
    );
    expect([observed.length, found, dropped.length]).toEqual([max, max, 6]);
    expect(observed.at(-1)?.saidIn).toBe(`u${max + 5}`);
  });

  it("S4-05 stands where a turn of the person says it, with the place in that turn; its words are a model's, its tier is never a fact's", () => {
    const [one] = parse(GOOD).observed;
    expect(one).toMatchObject({ basis: "generated", tier: "reported", turnIds: ["u1"] });
    const [quote] = one?.quotes ?? [];
    expect(SOURCE.turns[0]?.text.slice(quote?.start, quote?.end)).toBe(MORNING);
  });

  it.each([
    ["names an unknown turn", { turn_ids: ["u9"] }],
    ["names no turn", { turn_ids: [] }],
    ["names an unknown dimension", { dimension: "mood" }],
    ["quotes nothing", { quotes: [] }],
    ["invents its quote", { quotes: ["I prefer letters."] }],
    ["quotes a turn that it doesn't cite", { turn_ids: ["u2"] }],
    ["has a number of its own", { text: "Prefers 2 calls in the morning" }],
    ["says that somebody else said it", { speaker: "other" }],
    ["corrects what was never observed", { supersedes: "o-9" }],
    ["holds a credential", { text: "The password: hunter2secret9 is for calls in the morning" }],
    ["is longer than a statement", { text: "calls in the morning ".repeat(30) }],
    ["has a key of its own", { confidence: 1 }],
    ["names a scope", { subject: "jane" }],
  ])("S4-05 is left out and told where it %s", (_name, wrong) => {
    const { observed, dropped } = parse({ ...GOOD, ...wrong });
    expect(observed).toEqual([]);
    expect(dropped).toHaveLength(1);
  });

  it.each([
    ["an assistant alone", ["a1"], ["you are allergic to penicillin"]],
    [
      "an assistant to whom the person said thanks",
      ["a1", "u2"],
      ["you prefer evenings", "ok thanks"],
    ],
    ["a tool alone", ["x1"], ["customer tier: platinum"]],
  ])("S4-31 is never made of what %s said", (_name, turn_ids, quotes) => {
    const { observed } = parse({ ...GOOD, text: "Prefers evenings", turn_ids, quotes });
    expect(observed).toEqual([]);
  });

  it.each([
    ["a letter", "Seems to be diabetic", ["You seem to be diabetic", "W"]],
    ["words that say nothing", "Has HIV", ["What is the"]],
    ["words about something else", "Is diabetic", ["You seem to be diabetic", "weather in Paris"]],
    ["an assistant's number", "Takes 500 mg every morning", ["I take it every morning."]],
    ["a part of a word", "Suicidal", ["e"]],
    ["a part of a hyphenated word", "Is a smoker", ["smoker"]],
    [
      "a danger that isn't theirs",
      "Takes it every morning, suicidal",
      ["I take it every morning."],
    ],
    ["a quote behind a negation", "allergic to penicillin", ["allergic to penicillin"]],
    ["a quote before a negation", "Ich vertrage Milch", ["Ich vertrage Milch"]],
    ["a denial turned round", "Allergic to penicillin", ["I'm not allergic to penicillin."]],
    ["an assent turned round", "Doesn't take it every morning", ["I take it every morning."]],
  ])(
    "S4-05 S4-31 isn't kept where all that the person has to do with it is %s",
    (_name, text, quotes) => {
      const turns = [
        turn("a1", "assistant", "You seem to be diabetic. Your dose is 500 mg."),
        turn("u1", "user", "What is the weather in Paris? I take it every morning."),
        turn(
          "u2",
          "user",
          "I'm not allergic to penicillin. I'm a non-smoker. Ich vertrage Milch nicht.",
        ),
      ];
      const turn_ids = turns.map(({ id }) => id);
      expect(
        parse({ dimension: "change", text, turn_ids, quotes }, source({ turns })).observed,
      ).toEqual([]);
    },
  );

  it.each([
    [
      "a quote after an answer",
      "No, I'm allergic to penicillin.",
      "I'm allergic to penicillin",
      "Allergic to penicillin",
      "reported",
    ],
    [
      "an answer without its comma",
      "No I'm allergic to nuts.",
      "No I'm allergic to nuts.",
      "Allergic to nuts",
      "reported",
    ],
    [
      "a negation that adds",
      "I'm not only tired but dizzy.",
      "I'm not only tired but dizzy.",
      "Tired and dizzy",
      "reported",
    ],
    [
      "a denial that stays one",
      "I can't climb stairs.",
      "I can't climb stairs.",
      "Unable to climb stairs",
      "reported",
    ],
    [
      "a clause before another's negation",
      "I like tea, not coffee.",
      "I like tea",
      "Likes tea",
      "reported",
    ],
    [
      "half of it a model's",
      "I want to walk to the lake.",
      "I want to walk to the lake.",
      "Wants more daily walks",
      "inferred",
    ],
    [
      "a question",
      "Could I be allergic to nuts?",
      "allergic to nuts",
      "Allergic to nuts",
      "inferred",
    ],
    [
      "words without spaces",
      "我喜欢早上打电话。",
      "我喜欢早上打电话",
      "我喜欢早上打电话",
      "reported",
    ],
    ["words that are left out", "我喜欢早上打电话。", "早上打电话", "早上打电话", "inferred"],
    ["a half left out", "I take half a pill.", "take half a pill", "I take a pill", "inferred"],
    [
      "another order",
      "I want to sing and not dance.",
      "I want to sing and not dance.",
      "I want to dance and not sing",
      "inferred",
    ],
    ["its end left out", "I walk to the lake.", "I walk to the lake.", "Walks", "reported"],
  ])(
    "S4-05 is kept, and believed as far as the person said it: %s",
    (_name, said, quote, text, tier) => {
      const given = source({ turns: [turn("u1", "user", said)] });
      const entry = { dimension: "change", text, turn_ids: ["u1"], quotes: [quote] };
      expect(parse(entry, given).observed).toMatchObject([{ tier }]);
    },
  );

  it.each([
    ["whose it is", "My mother smokes a lot.", "My mother smokes a lot.", "Smokes a lot"],
    ["that it was", "I used to smoke.", "I used to smoke.", "Smokes"],
    ["that it may be", "I might move to Rome.", "move to Rome", "I move to Rome"],
    ["when it holds", "I walk if it is dry.", "I walk if it is dry.", "Walks"],
  ])("S4-02 S4-05 isn't kept where it leaves out %s", (_name, said, quote, text) => {
    const given = source({ turns: [turn("u1", "user", said)] });
    const entry = { dimension: "change", text, turn_ids: ["u1"], quotes: [quote] };
    const { observed, dropped } = parse(entry, given);
    expect(observed).toEqual([]);
    expect(dropped[0]?.message).toContain("leaves out");
  });

  it.each([
    ["I hate mornings and I love evenings.", "I love mornings and I hate evenings."],
    ["I am not vegan. I eat meat.", "I am vegan. I do not eat meat."],
    ["I do n\u043et eat fish.", "I eat fish."],
    ["I eat fish every day. No, that's not true.", "I eat fish every day."],
    ["I eat fish every day. Just kidding!", "I eat fish every day."],
    ["Ich esse jeden Tag Fisch. Nein, das stimmt nicht.", "Ich esse jeden Tag Fisch."],
    ["I take 5 micrograms of digoxin.", "I take 5 milligrams of digoxin."],
    ["Ich nehme zwei Tabletten täglich.", "Ich nehme zwanzig Tabletten täglich."],
  ])("S4-05 isn't kept where the person says the opposite, or takes it back: %s", (said, text) => {
    const given = source({ turns: [turn("u1", "user", said)] });
    const quotes = [said.split(/(?<=\.) /)[0] ?? said];
    const of = (words: readonly string[]) =>
      parse({ dimension: "change", text, turn_ids: ["u1"], quotes: words }, given);
    expect(of(quotes).observed).toEqual([]);
    expect(of([said]).observed).toEqual([]);
  });

  it("S4-06 of a danger that the next sentence takes back stands with that sentence, and is believed less", () => {
    const said = "I am allergic to penicillin. No, that's not true.";
    const given = source({ turns: [turn("u1", "user", said)] });
    const entry = { dimension: "change", text: "I am allergic to penicillin.", turn_ids: ["u1"] };
    expect(parse({ ...entry, quotes: [entry.text] }, given).observed).toMatchObject([
      { text: said, tier: "inferred", isSafety: true },
    ]);
  });

  it("S4-06 of a danger isn't lost where it corrects what was never observed", () => {
    const entry = { dimension: "reported_context", turn_ids: ["m2"], supersedes: "nobody" };
    const text = "My mother is allergic to penicillin.";
    expect(parse({ ...entry, text, quotes: [text] }, MEDICINE).observed).toMatchObject([
      { isSafety: true, supersedes: null },
    ]);
  });

  it("S4-14 rests on the turns that it quotes alone, whatever else it cites", () => {
    expect(parse({ ...GOOD, turn_ids: ["u2", "a1", "u1"] }).observed).toMatchObject([
      { turnIds: ["u1"] },
    ]);
  });

  it("S4-05 has no lines and no marks that move a cursor", () => {
    const text = "Prefers calls\u2028in\u0085 the\n\tmorning";
    expect(parse({ ...GOOD, text }).observed[0]?.text).toBe("Prefers calls in the morning");
  });

  it("S5-07 one sentence in three wordings is one observation, the first", () => {
    const wordings = [
      "Prefers calls in the morning",
      "Prefers morning calls",
      "Calls: in the morning",
    ];
    const observations = wordings.map((text) => ({ ...GOOD, text }));
    expect(parseObservations({ observations }, SOURCE).observed.map(({ text }) => text)).toEqual([
      wordings[0],
    ]);
  });

  it("S4-02 of what somebody else says about the person is believed less, and nothing that they say of themselves is quoted", () => {
    const of = (quote: string, text = quote) =>
      parse({ dimension: "change", text, turn_ids: ["o1"], quotes: [quote] }).observed;
    expect(of("She sleeps badly.")).toMatchObject([{ tier: "inferred" }]);
    expect(of("I work nights this week.")).toEqual([]);
  });

  it("S5-07 adds nothing where it was observed before, in these words or at this place", () => {
    const [one] = parse(GOOD).observed;
    const known = (text: string, quotes = one?.quotes ?? []): KnownObservation => ({
      id: trustedId<"ObservationId">("k"),
      dimension: trustedId<"DimensionId">(GOOD.dimension),
      text,
      quotes,
      tier: "reported" as const,
      isSafety: false,
      observedAt: at(0),
      supersededBy: null,
    });
    const again = (before: KnownObservation) =>
      parse(GOOD, { ...SOURCE, known: [before] }).observed;
    expect(again(known("prefers morning calls"))).toEqual([]);
    expect(again(known("Prefers  calls in the morning", []))).toEqual([]);
    expect(again(known("Prefers letters", []))).toHaveLength(1);
  });

  it("S5-06 that is said again after it was corrected corrects the correction, and not when it was said before that", () => {
    const one = (id: string, text: string, minute: number, by: string | null) => ({
      id: id as ObservationId,
      dimension: GOOD.dimension as DimensionId,
      text,
      quotes: [],
      tier: "reported" as const,
      isSafety: false,
      observedAt: at(minute),
      supersededBy: by as ObservationId | null,
    });
    const known = [one("k2", "Prefers evenings", 5, null), one("k1", GOOD.text, 0, "k2")];
    expect(parse(GOOD, { ...SOURCE, known }).observed).toMatchObject([{ supersedes: "k2" }]);
    const later = [one("k2", "Prefers evenings", 30, null), one("k1", GOOD.text, 0, "k2")];
    expect(parse(GOOD, { ...SOURCE, known: later }).observed).toEqual([]);
  });

  it.each([
    [5, "k1"],
    [30, null],
  ])("S5-06 corrects what was said before it alone: at minute %i, %s", (minute, supersedes) => {
    const known = [
      {
        id: "k1" as ObservationId,
        dimension: GOOD.dimension as DimensionId,
        text: "Prefers evenings",
        quotes: [],
        tier: "reported" as const,
        isSafety: false,
        observedAt: at(minute),
        supersededBy: null,
      },
    ];
    const { observed } = parse({ ...GOOD, supersedes: "k1" }, { ...SOURCE, known });
    expect(observed).toMatchObject([{ supersedes }]);
  });

  it("S4-05 of what may hurt the person is marked, under whatever dimension", () => {
    const said = source({ turns: [turn("u1", "user", "I'm allergic to penicillin.")] });
    const { observations } = inOneGo(findObservations(said));
    expect(parseObservations({ observations }, said).observed).toMatchObject([{ isSafety: true }]);
  });

  it("S4-05 S4-31 property: whatever an observer answers, each quote stands in a cited turn, and a person's words are among them", () => {
    const ids = SOURCE.turns.map(({ id }) => String(id));
    const words = [
      "I prefer calls",
      "ok thanks",
      "you prefer evenings",
      "platinum",
      "She sleeps badly",
      "I",
    ];
    const entry = fc.record({
      dimension: fc.constantFrom("communication_preference", "change", "none"),
      text: fc.constantFrom(...words, "something else"),
      turn_ids: fc.array(fc.constantFrom(...ids, "u9"), { maxLength: 4 }),
      quotes: fc.array(fc.constantFrom(...words, "never said"), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), (observations) => {
        for (const one of parseObservations({ observations }, SOURCE).observed) {
          const cited = SOURCE.turns.filter(({ id }) => one.turnIds.includes(id));
          expect(cited.some(({ role }) => role === "user")).toBe(true);
          for (const { turn_id, start, end } of one.quotes) {
            const said = cited.find(({ id }) => id === turn_id)?.text.slice(start, end) ?? "";
            expect(words).toContain(foldQuote(said));
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
