/** Snippets fenced as ```ts runs, or ```js runs, are what a newcomer copies, so they are run as they stand, on the built package. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { QUICK_START } from "./setup/quick-start.js";

const ROOT = resolve(import.meta.dirname, "..");
const LOADER = pathToFileURL(join(ROOT, "scripts/typescript.js")).href;

interface Snippet {
  /** File and line, such as `README.md:31`. */
  readonly at: string;
  readonly language: "ts" | "js";
  readonly code: string;
}

function snippetsIn(page: string): readonly Snippet[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/^```(ts|js) runs\n(.*?)^```$/gms)].map(
    ({ index, 1: fence, 2: code = "" }) => ({
      at: `${page}:${text.slice(0, index).split("\n").length}`,
      language: fence === "js" ? "js" : "ts",
      code,
    }),
  );
}

const docs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
const pages = ["README.md", ...docs.filter((f) => f.endsWith(".md")).map((f) => join("docs", f))];
const snippets = pages.flatMap(snippetsIn);

describe("snippets", () => {
  // Inside the project, so that `import "muniment"` is this package, as it will be for who installs it.
  const code = join(ROOT, ".cache/snippets");
  const home = mkdtempSync(join(tmpdir(), "muniment-home-"));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it("are found in the README, so that the tests below mean something", () => {
    expect(snippets.map(({ at }) => at.split(":")[0])).toContain("README.md");
  });

  it.each(snippets)(
    "$at runs as it stands, in an empty home directory",
    async ({ at, language, code: text }) => {
      mkdirSync(code, { recursive: true });
      const file = join(code, `${at.replaceAll(/\W+/g, "-")}.${language === "js" ? "mjs" : "ts"}`);
      writeFileSync(file, text);
      // What is plain JavaScript is run as any Node would.
      const loader = language === "js" ? [] : ["--import", LOADER];
      const env = { PATH: process.env.PATH, HOME: home };
      const run = promisify(execFile)(process.execPath, [...QUICK_START, ...loader, file], { env });
      expect((await run).stdout).not.toBe("");
    },
  );
});
