import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { createProgram } from "../src/cli/program.js";
import { ERROR_KINDS } from "../src/domain/errors.js";
import { STATUS_OF } from "../src/http/problem.js";

const ROOT = resolve(import.meta.dirname, "..");

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function pages(): readonly string[] {
  const inDocs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
  const atRoot = readdirSync(ROOT).filter((file) => file.endsWith(".md"));
  return [...atRoot, ...inDocs.filter((f) => f.endsWith(".md")).map((f) => join("docs", f))];
}

describe("docs", () => {
  it("have one page for each kind of error, and no other", () => {
    const kinds = readdirSync(join(ROOT, "docs/errors")).map((file) => file.replace(/\.md$/, ""));
    expect(kinds.sort()).toEqual([...ERROR_KINDS].sort());
  });

  it.each(ERROR_KINDS)("docs/errors/%s.md says what it means and what to do next", (kind) => {
    const form = new RegExp(
      `^# ${kind}\n\nHTTP status ${STATUS_OF[kind]}\\.\n\n## What it means\n\n\\S[^#]*\n\n## What to do next\n\n\\S[^#]*\n$`,
    );
    expect(read(`docs/errors/${kind}.md`)).toMatch(form);
  });

  it("have a reason for each dependency, and for no other package", () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      read("package.json"),
    );
    const listed = [...read("docs/dependencies.md").matchAll(/^\| `([^`]+)` \|/gm)];
    expect(listed.map(([, name]) => name).sort()).toEqual(
      Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).sort(),
    );
  });

  it("have each concept in their index once, which the README links to", () => {
    const listed = [
      ...read("docs/concepts/README.md").matchAll(/^\d+\. \[[^\]]+\]\(([^)]+)\): \S/gm),
    ];
    const files = readdirSync(join(ROOT, "docs/concepts")).filter((file) => file !== "README.md");
    expect(listed.map(([, file]) => file).sort()).toEqual(files.sort());
    expect(read("README.md")).toContain("](docs/concepts/README.md)");
  });

  it("name each command on the page of the command line", () => {
    const page = read("docs/cli.md");
    const nothing = () => undefined;
    const commands = createProgram({ out: nothing, err: nothing, verbatim: nothing }).commands;
    const missing = commands.filter((command) => !page.includes(`\`${command.name()}`));
    expect(missing.map((command) => command.name())).toEqual([]);
  });

  it.each(pages())("%s links only to files that exist", (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, to = ""]) => to);
    const broken = links.filter((to) => !existsSync(join(ROOT, dirname(page), to)));
    expect(broken).toEqual([]);
  });
});
