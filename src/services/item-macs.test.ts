import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { trustedId } from "../domain/ids.js";
import type { LedgerKey } from "../domain/ledger.js";
import { everyItemMac, itemMacs } from "./item-macs.js";

const digest = (text: string) => createHash("sha256").update(text).digest("base64");
const KEY: LedgerKey = { mac: (purpose, text) => digest(`${purpose} ${text}`), sign: digest };
const PLACE = { subject: "jane", workspace: trustedId<"WorkspaceId">("default") };
const ofText = (text: string) => itemMacs(KEY, PLACE, { contents: [text] });

describe("by what a text is recognised", () => {
  it.each([
    ["case and white space", " I LOVE\tquokkas\n"],
    ["compatibility forms", "I love ｑｕｏｋｋａｓ"],
    ["a zero-width space", "I love quo\u200bkkas \u200b"],
    ["a soft hyphen and a joiner", "I\u2060 love quok\u00adkas"],
  ])("S5-08 %s makes no other text", (_, text) => {
    expect(ofText(text)).toEqual(ofText("i love quokkas"));
  });

  it("S5-08 another text is another", () => {
    expect(ofText("I love quolls")).not.toEqual(ofText("I love quokkas"));
  });

  it("S5-08 a tombstone that was made with the invisible marks of its text still holds", () => {
    const before = KEY.mac("content", JSON.stringify(["jane", "default", "quo\u200bkka"]));
    expect(everyItemMac(KEY, PLACE, { contents: ["Quo\u200bkka"] })).toContain(before);
  });
});
