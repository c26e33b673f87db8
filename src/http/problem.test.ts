import { describe, expect, it } from "vitest";
import { ERROR_KINDS, MunimentError } from "../domain/errors.js";
import { problemOf, STATUS_OF } from "./problem.js";

describe("problem details", () => {
  it.each(ERROR_KINDS)("%s has a page, a title and a status of a refusal", (kind) => {
    const problem = problemOf(new MunimentError(kind, "said", { field: "turns.0" }), "r1");
    expect(problem).toMatchObject({
      type: `/docs/errors/${kind}`,
      status: STATUS_OF[kind],
      title: expect.stringMatching(/^[A-Z]/),
      field: "turns.0",
      next_step: expect.stringMatching(/^[a-z]/),
      request_id: "r1",
    });
    expect(problem.status).toBeGreaterThanOrEqual(400);
  });

  it("S4-12 says the next step of the refusal itself, where it has one", () => {
    const refusal = new MunimentError("unavailable", "said", { nextStep: "go on without recall" });
    expect(problemOf(refusal, "r1").next_step).toBe("go on without recall");
  });

  it("keeps what can only be a bug, and every cause, inside", () => {
    const bug = new MunimentError("internal", "assertion failed: secret", { cause: "secret" });
    const refused = new MunimentError("not_found", "not found", { cause: new Error("secret") });
    expect(JSON.stringify([problemOf(bug, "r1"), problemOf(refused, "r2")])).not.toContain(
      "secret",
    );
  });
});
