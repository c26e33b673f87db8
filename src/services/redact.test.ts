import { describe, expect, it } from "vitest";
import { redact, redactText } from "./redact.js";

describe("redaction", () => {
  it.each([
    ["paid with 4111 1111 1111 1111 today", "paid with [card] today"],
    ["paid with 4111-1111-1111-1111.", "paid with [card]."],
    ["to DE89 3704 0044 0532 0130 00 at once", "to [account] at once"],
    ["to GB82WEST12345698765432", "to [account]"],
    ["account number 12345678", "account number [account]"],
    ["BSB: 062-000", "BSB: [account]"],
    ["Bearer abcdef0123456789abcdef", "[redacted]"],
    ["sk-proj-aaaaaaaaaaaaaaaaaaaa1234", "[redacted]"],
    ["<think>she is rich</think> ok", "[redacted]"],
  ])("S2-29 %s", (text, redacted) => {
    expect(redactText(text)).toBe(redacted);
  });

  it.each([
    "booking 4471-0093 of 1 March 2026",
    "order 1234 5678 9012 3456 isn't a card: its check digit is wrong",
    "35 dollars, twice",
    "case://disputes/771",
  ])("S2-29 leaves alone what only looks like one: %s", (text) => {
    expect(redactText(text)).toBe(text);
  });

  it("S2-29 empties fields that name a secret, at any depth, and cards that are numbers", () => {
    expect(
      redact({
        id: "r-1",
        auth: { Access_Token: "short", pin: 1234 },
        list: [{ cardNumber: "x" }],
        n: 4111111111111111,
      }),
    ).toEqual({
      id: "r-1",
      auth: { Access_Token: "[redacted]", pin: "[redacted]" },
      list: [{ cardNumber: "[redacted]" }],
      n: "[card]",
    });
  });
});
