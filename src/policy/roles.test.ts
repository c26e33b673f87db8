import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { ROLES } from "../domain/principal.js";

const POLICIES = resolve(import.meta.dirname, "../../policies");

it("every role that a policy asks about is listed, and no other", () => {
  const asked = readdirSync(POLICIES)
    .filter((file) => file.endsWith(".cedar"))
    .flatMap((file) => [
      ...readFileSync(join(POLICIES, file), "utf8").matchAll(/roles\.contains(?:Any)?\(([^)]*)\)/g),
    ])
    .flatMap(([, names = ""]) => [...names.matchAll(/"(\w+)"/g)].map(([, name]) => name));
  expect([...new Set(asked)].sort()).toEqual([...ROLES].sort());
});
