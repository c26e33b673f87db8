import { describe, expect, it } from "vitest";
import { MunimentError } from "../domain/errors.js";
import { describeFault } from "./fault.js";

const SENTINEL = "jane@example.com";

/** As the database driver reports one: its message, detail and context repeat values. */
function databaseError(): Error {
  return Object.assign(
    new Error(`duplicate key value: ${SENTINEL}\n    at ${SENTINEL} (x.js:1:1)`),
    {
      name: "error",
      code: "23505",
      constraint: "turn_pkey",
      detail: `Key (id)=(${SENTINEL}) already exists.`,
      where: SENTINEL,
      parameters: [SENTINEL],
    },
  );
}

describe("fault for the log", () => {
  it("S5-14 has name, code, constraint and places of a database error, and none of its values", () => {
    const fault = describeFault(
      new MunimentError("internal", "the database refused a statement", { cause: databaseError() }),
    );
    expect(fault).toMatchObject({
      name: "MunimentError",
      message: "the database refused a statement",
      cause: { name: "error", code: "23505", constraint: "turn_pkey" },
    });
    expect(fault.cause?.frames?.[0]).toMatch(/^at databaseError .*fault\.test\.ts/);
    expect(JSON.stringify(fault)).not.toContain(SENTINEL);
  });

  it("shows no stack where the message was changed after the error was made", () => {
    const error = new Error(`first ${SENTINEL}\n    at ${SENTINEL}`);
    // Read once, a stack keeps its first message.
    expect(error.stack).toContain(SENTINEL);
    error.message = "second";
    expect(describeFault(error)).toEqual({ name: "Error" });
  });

  it.each([
    ["a string", SENTINEL, { name: "string" }],
    ["nothing", undefined, { name: "undefined" }],
    ["an object", { message: SENTINEL, code: SENTINEL }, { name: "object" }],
  ])("says of %s only its type", (_name, thrown, fault) => {
    expect(describeFault(thrown)).toEqual(fault);
  });

  it("leaves out a name or code that isn't a word", () => {
    const error = Object.assign(new Error("x"), { name: SENTINEL, code: `a ${SENTINEL}` });
    expect(JSON.stringify(describeFault(error))).not.toContain(SENTINEL);
  });

  it("ends in a chain of causes that goes round", () => {
    const error = new Error("x");
    error.cause = error;
    expect(JSON.stringify(describeFault(error)).match(/"cause"/g)).toHaveLength(4);
  });
});
