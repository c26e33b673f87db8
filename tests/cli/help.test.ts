import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { runCli } from "../../src/cli/run-cli.js";

function listen() {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    verbatim: (text: string) => void out.push(text),
  };
  return { out, err, io };
}

/** Each command's name path, such as `route apply`. */
function commandPaths(): readonly (readonly string[])[] {
  const { commands } = createProgram(listen().io);
  return commands.flatMap((command) => [
    [command.name()],
    ...command.commands.map((sub) => [command.name(), sub.name()]),
  ]);
}

describe("help", () => {
  it("of all commands changes deliberately", async () => {
    const pages: string[] = [];
    for (const command of [[], ...commandPaths()]) {
      const { out, io } = listen();
      expect(await runCli([...command, "--help"], io)).toBe(0);
      pages.push(`$ muniment ${[...command, "--help"].join(" ")}\n${out.join("\n")}\n`);
    }
    await expect(pages.join("\n")).toMatchFileSnapshot("../snapshots/cli-help.txt");
    const lines = pages.flatMap((page) => page.split("\n"));
    expect(lines.filter(({ length }) => length > 80)).toEqual([]);
  });

  it("each command that ends takes --json", () => {
    const { commands } = createProgram(listen().io);
    const leaves = commands.flatMap((command) =>
      command.commands.length > 0 ? command.commands : [command],
    );
    for (const leaf of leaves) {
      expect(
        leaf.options.map(({ long }) => long),
        leaf.name(),
      ).toContain("--json");
    }
    expect(leaves.length).toBeGreaterThan(10);
  });

  it("a command with subcommands has no options, which would take theirs away", () => {
    const { commands } = createProgram(listen().io);
    const parents = commands.filter((command) => command.commands.length > 0);
    expect(parents.length).toBeGreaterThan(3);
    expect(parents.flatMap(({ options }) => options.map(({ long }) => long))).toEqual([]);
  });

  it.each([
    ["nothing", []],
    ["an unknown command", ["forget"]],
    ["an unknown option", ["doctor", "--force"]],
    ["a missing option", ["route", "list"]],
    ["a port that isn't one", ["serve", "--port", "1e9"]],
    ["a limit below zero", ["recall", "--tenant", "a", "--limit", "-1"]],
    [
      "a format that isn't one",
      ["import", "x", "--tenant", "a", "--route", "b", "--format", "csv"],
    ],
    ["a role that isn't one", ["dev-token", "--tenant", "a", "--role", "admin"]],
    ["neither a run nor a subject", ["assemble", "--tenant", "a"]],
    ["a run and a subject", ["assemble", "--tenant", "a", "--run", "b", "--subject", "c"]],
  ])("%s is a usage error, said on stderr", async (_, args) => {
    const { out, err, io } = listen();
    expect(await runCli(args, io)).toBe(2);
    expect(out).toEqual([]);
    expect(err.join("\n")).not.toMatch(/\n {4}at /);
    expect(err.join("\n")).toMatch(/muniment.* --help|Usage: muniment/);
    const machines = listen();
    expect(await runCli([...args, "--json"], machines.io)).toBe(2);
    expect(machines.err.map((line) => JSON.parse(line))).toEqual([
      { error: { kind: "usage", message: expect.any(String), next_step: expect.any(String) } },
    ]);
  });

  it("a usage error names the help of the command that was meant", async () => {
    const { err, io } = listen();
    await runCli(["route", "list"], io);
    expect(err.at(-1)).toBe("next: muniment route list --help shows how it is written");
  });

  it("a refusal says what happened and what to do next, and is JSON for machines", async () => {
    const place = ["route", "apply", "/nowhere/at/all.yaml", "--tenant", "a"];
    const people = listen();
    expect(await runCli(place, people.io)).toBe(1);
    expect(people.err).toEqual([
      "error: /nowhere/at/all.yaml doesn't exist",
      "next: check the path",
    ]);
    const machines = listen();
    expect(await runCli([...place, "--json"], machines.io)).toBe(1);
    expect(machines.err.map((line) => JSON.parse(line))).toMatchObject([
      { error: { kind: "invalid_input" } },
    ]);
    expect(machines.out).toEqual([]);
  });
});
