import { describe, expect, it } from "vitest";
import { MunimentError } from "../domain/errors.js";
import { Unmet } from "../domain/unmet.js";
import { statementError } from "./database-error.js";

function reported(code: string): Error {
  return Object.assign(new Error("sentinel-5f1c"), { code, severity: "ERROR" });
}

describe("errors of the database", () => {
  it.each([
    ["a deadlock", "40P01", "unavailable"],
    ["a serialisation failure", "40001", "unavailable"],
    ["a statement timeout", "57014", "unavailable"],
    ["a server that shuts down", "57P01", "unavailable"],
    ["a lost connection", "08006", "unavailable"],
    ["a full disk", "53100", "unavailable"],
    ["too many connections", "53300", "unavailable"],
    ["a broken constraint", "23505", "internal"],
    ["a wall", "42501", "internal"],
    ["a wrong statement", "42601", "internal"],
  ])("%s (%s) is %s, and its text stays private", (_name, code, kind) => {
    const cause = reported(code);
    const error = statementError(cause);
    expect(error).toMatchObject({ kind, cause });
    expect(error.message).not.toContain("sentinel");
  });

  it.each(["ECONNRESET", "EPIPE", "ECONNREFUSED", ""])("a socket's %s is unavailable", (code) => {
    expect(statementError(Object.assign(new Error("socket"), { code }))).toMatchObject({
      kind: "unavailable",
    });
  });

  it("an expectation of a statement keeps its code alone", () => {
    const error = statementError(
      Object.assign(new Error("run_ended"), { code: "MU001", severity: "ERROR" }),
    );
    expect(error).toBeInstanceOf(Unmet);
    expect(error).toMatchObject({ code: "run_ended" });
  });

  it("an error of ours passes as it is", () => {
    const error = new MunimentError("internal", "ours");
    expect(statementError(error)).toBe(error);
  });
});
