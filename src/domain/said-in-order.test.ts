import { describe, expect, it } from "vitest";
import { saysInOrder } from "./said-in-order.js";

describe("what is said in order", () => {
  it.each([
    ["She takes warfarin every day.", "I take warfarin every day."],
    ["You live in Rome.", "I live in Rome."],
    ["They were in prison.", "I was in prison."],
    ["I was a smoker.", "I am a smoker."],
    ["I had a dog.", "I have a dog."],
    ["I will take warfarin.", "I take warfarin."],
    ["I would like a dog.", "I like a dog."],
    ["I have been a nurse.", "I am a nurse."],
    ["I'm under 18.", "I'm over 18."],
    ["I take it before meals.", "I take it after meals."],
    ["I moved from Berlin to Rome.", "I moved to Berlin from Rome."],
    ["I'm off warfarin.", "I'm on warfarin."],
    ["Some of my teeth hurt.", "All of my teeth hurt."],
    ["I am too tired to work.", "I am tired to work."],
    ["It is as if I were drunk.", "I am drunk."],
    ["I am about to quit my job.", "I quit my job."],
    ["I am against abortion.", "I am for abortion."],
    ["I live above the bar.", "I live below the bar."],
    ["Her name is Eve, mine is Ann.", "My name is Eve, hers is Ann."],
    ["He hit me.", "I hit him."],
    ["I hit him.", "He hit me."],
    ["I have to work at night.", "I work at night."],
    ["I can swim if I rest.", "I can swim."],
    ["Ich war Raucher.", "Ich bin Raucher."],
    ["Mit Zucker vertrage ich es.", "Ohne Zucker vertrage ich es."],
    ["I sleep.", ""],
  ])(
    "S4-05 S4-13 %j isn't told by %j: a word may say who, when, where and how much",
    (said, text) => {
      expect(saysInOrder(text, said)).toBe(false);
    },
  );

  it.each([
    ["I'm allergic to penicillin.", "Is allergic to penicillin."],
    ["I'm allergic to penicillin.", "Allergic to penicillin"],
    ["I've moved to Rome.", "Has moved to Rome."],
    ["I've moved to Rome.", "Moved to Rome."],
    ["Please call me in my lunch break.", "Call in their lunch break."],
    ["I want to walk to the lake by summer.", "She wants to walk to the lake."],
    ["I can't climb the stairs.", "Unable to climb stairs."],
    ["I'm not able to climb the stairs.", "Can't climb the stairs."],
    ["I no longer smoke.", "Doesn't smoke anymore."],
    ["I'd prefer calls in the evening.", "Prefers calls in the evening."],
    ["I'd like to swim.", "I would like to swim."],
    ["I do sleep very badly.", "Sleeps badly."],
    ["Ich nehme Ramipril am Morgen.", "Ich nehme Ramipril"],
    ["I take ramipril in the morning.", "I take ramipril in the morning."],
  ])("S4-05 %j is told by %j", (said, text) => {
    expect(saysInOrder(text, said)).toBe(true);
  });
});
