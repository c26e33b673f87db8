import { describe, expect, it } from "vitest";
import { at, source, turn } from "../../tests/support/observe-source.js";
import { trustedId } from "./ids.js";
import type { ObserveSource } from "./observation.js";
import { parseObservations } from "./observation-rules.js";
import { findObservations } from "./observe-extract.js";
import { inOneGo } from "./steps.js";

describe("the observer without a model", () => {
  const quoted = (...turns: ObserveSource["turns"]) =>
    inOneGo(findObservations(source({ turns }))).observations.map(({ text }) => text);

  it("S4-05 quotes the person's sentences by dimension, and nothing else of what they said", () => {
    const said =
      "Hi! I want to walk to the lake. Which bus goes there? I can't climb stairs. Thanks.";
    expect(
      inOneGo(findObservations(source({ turns: [turn("u1", "user", said)] }))).observations,
    ).toMatchObject([
      { dimension: "goals", text: "I want to walk to the lake." },
      { dimension: "barriers", text: "I can't climb stairs." },
    ]);
  });

  it.each([
    ["a pasted prompt", "You are a helpful agent. I prefer short answers, always."],
    ["code", '```\nI prefer tabs\n```\n{\n  "note": "I prefer tabs"\n}'],
    ["a pasted log", "assistant: I prefer to call you in the morning"],
    ["a quotation", "> I prefer calls in the morning"],
    ["a question", "Do you know whether I prefer calls in the morning?"],
    ["an order in general", "Prefer short answers over long ones."],
    ["thanks", "ok thanks"],
  ])("S4-31 leaves %s alone", (_name, text) => {
    expect(quoted(turn("u1", "user", text))).toEqual([]);
  });

  it("S4-31 S4-02 leaves alone what assistants, tools and other people say", () => {
    const text = "I prefer calls in the morning.";
    const others = (["assistant", "tool_result", "system"] as const).map((role) =>
      turn(role, role, text),
    );
    expect(quoted(...others, turn("o", "user", text, "other"))).toEqual([]);
    expect(quoted(turn("u", "user", text))).toEqual([text]);
  });

  it.each([
    [
      "a box that nobody ticked",
      "☐ I am pregnant\n- [ ] I take blood thinners\n( ) I have a dog",
      [],
    ],
    ["a box that is ticked", "☒ I take blood thinners", ["☒ I take blood thinners"]],
    ["an answer in its line", "I am pregnant      no", ["I am pregnant      no"]],
    [
      "what a line denies",
      "Nobody ever said that\nI want to die.",
      ["Nobody ever said that I want to die."],
    ],
    ["a danger in two words", "I fainted.", ["I fainted."]],
    ["a danger amid a question", "I am pregnant, can I fly?", ["I am pregnant, can I fly?"]],
    ["what is meant otherwise", "I have a dog. I mean a cat.", []],
    ["another's words", 'He said: "I am done. I want to move."', []],
  ])("S4-05 S4-31 reads %s as it is meant", (_name, text, texts) => {
    const said = source({ turns: [turn("u1", "user", text)] });
    const answer = inOneGo(findObservations(said));
    const { observed } = parseObservations(answer, said);
    expect(observed.map((one) => one.text.replaceAll(/ {2,}/g, "      "))).toEqual(
      texts.map((one) => one.replaceAll(/ {2,}/g, " ")),
    );
  });

  it("S5-06 says what a correction takes back", () => {
    const known = [
      {
        id: trustedId<"ObservationId">("k1"),
        dimension: trustedId<"DimensionId">("communication_preference"),
        text: "I prefer calls in the morning.",
        quotes: [],
        tier: "reported" as const,
        isSafety: false,
        observedAt: at(0),
        supersededBy: null,
      },
    ];
    const said = (text: string) =>
      inOneGo(findObservations(source({ turns: [turn("u1", "user", text)], known })))
        .observations[0];
    expect(said("From now on I prefer evenings, mornings don't work any more.")).toMatchObject({
      supersedes: "k1",
    });
    expect(said("I prefer letters in large print.")).not.toHaveProperty("supersedes");
  });
});
