import { describe, expect, it } from "vitest";
import { MunimentError } from "../domain/errors.js";
import { ownerPlace, reach } from "./server-place.js";

const URL_WITH_LOGIN = "postgres://ana:sentinel-pw@db.example/muniment";

const failing = (error: unknown) =>
  reach(ownerPlace(URL_WITH_LOGIN, "postgres://other"), () => Promise.reject(error));

describe("a server that can't be reached", () => {
  it.each([
    [Object.assign(new Error("connect"), { code: "ECONNREFUSED" }), "nothing listens there"],
    [Object.assign(new Error("auth"), { code: "28P01" }), "it refuses the login"],
    [new Error("timeout expired"), "it takes the connection and doesn't answer"],
    [
      new Error("Connection terminated due to connection timeout"),
      "it takes the connection and doesn't answer",
    ],
    [new Error("Connection terminated unexpectedly"), "it breaks the connection off"],
    [
      new MunimentError("unavailable", "custody", { cause: new Error("timeout expired") }),
      "it takes the connection and doesn't answer",
    ],
  ])("is named by its place and its setting, without its login: %s", async (error, reason) => {
    await expect(failing(error)).rejects.toMatchObject({
      kind: "unavailable",
      message: `PostgreSQL at db.example:5432: ${reason}`,
      nextStep: "check MUNIMENT_MIGRATE_URL, and that the server runs there",
    });
  });

  it("is no name for what a server that was reached refuses", async () => {
    const refused = Object.assign(new Error("syntax"), { code: "42601" });
    await expect(failing(refused)).rejects.toBe(refused);
  });
});
