import { describe, expect, it } from "vitest";
import { idByEnd } from "./by-end.js";

const ID = "0199f0a2-7c11-7b3e-9d52-3c5f8f9f0a11";
const OTHER = "0199f0a2-7c11-7b3e-9d52-3c5f8f9f0a12";
const SAME_END = "0299f0a2-7c11-7b3e-9d52-3c5f8f9f0a11";

describe("an id by its end", () => {
  it.each([
    ["the one that ends so", "3c5f8f9f0a11", [ID, OTHER, ID], ID],
    ["as it is, where none does", "3c5f8f9f0a13", [ID, OTHER], "3c5f8f9f0a13"],
    ["as it is, where more than one does", "3c5f8f9f0a11", [ID, SAME_END], "3c5f8f9f0a11"],
    ["as it is, where it is less than the end", "0a11", [ID], "0a11"],
  ])("is %s", async (_, given, ids, meant) => {
    expect(await idByEnd(given, async () => ids)).toBe(meant);
  });

  it("that is whole is looked up nowhere", async () => {
    expect(await idByEnd(ID, () => Promise.reject(new Error("not asked")))).toBe(ID);
  });
});
