import { describe, expect, it } from "vitest";
import { asks } from "./asked.js";

describe("who asks says nothing yet", () => {
  it.each([
    "Can I fly when I am pregnant?",
    "Do you know if I can't fly when I am pregnant",
    "Hi, is it bad that I take aspirin with wine",
    "What should I do when I faint",
    "How often can I take it",
    "What if I want to cancel",
    "Let's say I live in Berlin, then I'd pay more.",
    "I'm not allergic to penicillin, am I",
    "Kann ich fliegen wenn ich schwanger bin",
    "Hallo, darf ich Sport machen, wenn ich Blutverdünner nehme",
    "Bin ich jetzt nicht mehr allergisch gegen Penicillin",
    "Was soll ich tun",
    "Angenommen, ich wohne in Kiel.",
  ])("S4-05 %s", (sentence) => {
    expect(asks(sentence)).toBe(true);
  });

  it.each([
    "I can fly.",
    "What I want is a call in the morning.",
    "When I take ibuprofen I can't breathe.",
    "How I miss the lake.",
    "Will call tomorrow.",
    "I have what I need, and it is fine.",
    "Ich kann fliegen, wenn ich muss.",
    "Wie gesagt bin ich allergisch gegen Nüsse.",
    "Wenn ich laufe, bekomme ich keine Luft.",
  ])("S4-05 but not: %s", (sentence) => {
    expect(asks(sentence)).toBe(false);
  });
});
