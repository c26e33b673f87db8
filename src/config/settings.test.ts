import { expect, it } from "vitest";
import { refusedWith } from "../../tests/support/refusal.js";
import { readSettings } from "./settings.js";

it.each([
  ["localhost/sentinel-db", "postgres://USER:PASSWORD@HOST:5432/DATABASE"],
  ["mysql://sentinel-host/db", "postgres://USER:PASSWORD@HOST:5432/DATABASE"],
])("a database URL that isn't one is told its form, and not repeated: %s", async (url, form) => {
  const refusal = await refusedWith(
    Promise.resolve().then(() => readSettings({}, { MUNIMENT_DATABASE_URL: url })),
  );
  expect(refusal.message).toContain("MUNIMENT_DATABASE_URL");
  expect(refusal.nextStep).toContain(form);
  expect(refusal.message).not.toContain("sentinel");
});
