import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { publicSurface } from "./public-surface/surface.js";

const ROOT = `${resolve(import.meta.dirname, "..")}/`;

/** Types of each subpath that package.json exports. */
function entries(): readonly (readonly [subpath: string, file: string])[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return Object.entries<string | { types: string }>(exports).flatMap(([subpath, target]) =>
    typeof target === "string" ? [] : [[subpath, join(ROOT, target.types)] as const],
  );
}

function snapshotOf(subpath: string): string {
  const name = subpath === "." ? "index" : subpath.replace(/^\.\//, "").replaceAll("/", "-");
  return `./snapshots/public-surface.${name}.d.ts.txt`;
}

describe("public surface", () => {
  it.each(entries())("changes of `%s` are deliberate", async (subpath, file) => {
    expect(existsSync(file), `${file} isn't built`).toBe(true);
    await expect(publicSurface(file, ROOT)).toMatchFileSnapshot(snapshotOf(subpath));
  });

  const dir = mkdtempSync(join(tmpdir(), "public-surface-"));
  afterAll(() => rmSync(dir, { recursive: true }));

  it("holds what exported names reach, and nothing else", () => {
    writeFileSync(
      join(dir, "inner.d.ts"),
      [
        "/** A comment. */",
        "export interface Pack { readonly items: readonly Item[] }",
        "export interface Item { readonly text: string }",
        "export interface Hidden { readonly secret: string }",
        "export declare const LIMITS: { readonly a: 1 };",
        "export declare function open(at?: keyof typeof LIMITS): Promise<Pack>;",
      ].join("\n"),
    );
    writeFileSync(join(dir, "index.d.ts"), 'export { open } from "./inner.js";\n');
    const surface = publicSurface(join(dir, "index.d.ts"), `${dir}/`);
    expect(surface).toContain("exports: open");
    expect(surface).toContain("interface Item");
    expect(surface).toContain("const LIMITS");
    expect(surface).not.toContain("Hidden");
    expect(surface).not.toContain("comment");
  });
});
