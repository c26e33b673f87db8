import { describe, expect, it } from "vitest";
import { openaiRows } from "./openai.js";

const TIME = "2026-01-01T00:00:00.000Z";
const DEFAULTS = { session: "chat", observedAt: null, fileTime: TIME };
const rowsOf = (value: unknown) =>
  openaiRows(value, DEFAULTS).map((parsed) => ("row" in parsed ? parsed.row : parsed));
const at = (source_id: string) => ({ session: "chat", source_id, observed_at: TIME });

describe("message arrays", () => {
  it("calls and results are turns that share their call id, the result with its tool's name", () => {
    const messages = [
      { role: "developer", content: "Be brief." },
      { role: "user", name: "Ana", content: "Weather?" },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "weather", arguments: '{"at":"Oslo"}' } },
          { id: "c2", type: "function", function: { name: "clock", arguments: "" } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "rain" },
      { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "noon" }] },
    ];
    expect(rowsOf({ messages })).toEqual([
      { ...at("chat:1"), role: "system", text: "Be brief." },
      { ...at("chat:2"), role: "user", speaker: "Ana", text: "Weather?" },
      { ...at("chat:3"), role: "assistant", text: "I look." },
      {
        ...at("chat:3.1"),
        role: "tool_call",
        call_id: "c1",
        tool: "weather",
        text: '{"at":"Oslo"}',
      },
      { ...at("chat:3.2"), role: "tool_call", call_id: "c2", tool: "clock", text: "{}" },
      { ...at("chat:4"), role: "tool_result", call_id: "c1", tool: "weather", text: "rain" },
      { ...at("chat:5"), role: "tool_result", call_id: "c2", tool: "clock", text: "noon" },
    ]);
  });

  it("a call without a text is the call alone", () => {
    const call = { id: "c1", function: { name: "f", arguments: "{}" } };
    expect(rowsOf([{ role: "assistant", content: null, tool_calls: [call] }])).toEqual([
      { ...at("chat:1"), role: "tool_call", call_id: "c1", tool: "f", text: "{}" },
    ]);
  });

  it("the old form of function calls is paired by its place", () => {
    const messages = [
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "1" },
    ];
    expect(rowsOf(messages)).toMatchObject([
      { role: "tool_call", call_id: "function-0", tool: "f" },
      { role: "tool_result", call_id: "function-0", tool: "f", text: "1" },
    ]);
  });

  it("parts that aren't text leave their mark", () => {
    const content = [
      { type: "text", text: "Look:" },
      { type: "image_url", image_url: { url: "x" } },
    ];
    expect(rowsOf([{ role: "user", content }])).toMatchObject([{ text: "Look:\n[image_url]" }]);
  });

  it("ids and times of messages are kept", () => {
    const message = { role: "user", content: "a", id: "m1", created_at: 1_767_225_600 };
    expect(rowsOf([message])).toMatchObject([{ source_id: "m1", observed_at: TIME }]);
  });

  it("a list of chats is a session each", () => {
    const chat = (text: string) => ({ messages: [{ role: "user", content: text }] });
    expect(rowsOf([chat("a"), { id: "named", ...chat("b") }])).toMatchObject([
      { session: "chat:1", source_id: "chat:1:1", text: "a" },
      { session: "named", source_id: "named:1", text: "b" },
    ]);
  });

  it.each([
    ["a message that isn't an object", [{ role: "user", content: "a" }, 5], "message 2", "message"],
    ["messages that aren't a list", { messages: 5 }, "", "messages"],
    ["a file that is a text", "secret", "file", "messages"],
  ])("%s is said without its text", (_, value, place, field) => {
    const last = openaiRows(value, DEFAULTS).at(-1);
    expect(last).toMatchObject({ place, field });
    expect(JSON.stringify(last)).not.toContain("secret");
  });
});
