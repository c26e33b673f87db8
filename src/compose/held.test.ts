import { expect, it } from "vitest";
import { DirectoryHeldError } from "../storage/drivers/directory-lock.js";
import { heldBy } from "./held.js";

it.each([
  ["a service is used or stopped", "http://127.0.0.1:7700", "use that service, or stop it first"],
  ["who serves nobody yet is waited for", null, "wait a moment and try again"],
])("of a directory that is held %s", (_, url, next) => {
  const record = { pid: 7, startTime: null, bootId: null, url };
  const refusal = heldBy(new DirectoryHeldError("/data", record))?.refusal;
  expect(refusal?.message).toContain("is held by process 7");
  expect(refusal?.nextStep).toContain(next);
});
