import { expect, it } from "vitest";
import { commandLine } from "./command-line.js";

it.each([
  [{ tenant: "acme", workspace: "default" }, "muniment recall --subject ana --tenant acme"],
  [
    { tenant: "acme", workspace: "w2", dataDir: "/var/my data" },
    "muniment recall --subject ana --tenant acme --workspace w2 --data-dir '/var/my data'",
  ],
  [
    { tenant: "o'hara $(id)", workspace: "default" },
    "muniment recall --subject ana --tenant 'o'\\''hara $(id)'",
  ],
])("a command to copy goes to the same place, and a shell takes it as it is", (options, line) => {
  expect(commandLine(["recall", "--subject", "ana"], options)).toBe(line);
});
