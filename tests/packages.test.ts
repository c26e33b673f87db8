import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

interface Locked {
  readonly version?: string;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
  readonly name?: string;
}

type Version = readonly number[];

const ROOT = resolve(import.meta.dirname, "..");
const json = (file: string) => JSON.parse(readFileSync(resolve(ROOT, file), "utf8"));
const project = json("package.json");
const locked = Object.entries<Locked>(json("package-lock.json").packages);

const numbersOf = (text: string): Version =>
  [...text.matchAll(/\d+/g)].map(([number]) => Number(number));

/** Whether a range such as `^20.19.0 || >=22` takes a version. */
function takes(range: string, version: Version): boolean {
  return range.split("||").some((part) => {
    const from = numbersOf(part);
    const isFrom = compared(version, from) >= 0;
    return part.includes(">=") ? isFrom : isFrom && version[0] === from[0];
  });
}

function compared(one: Version, other: Version): number {
  const at = [0, 1, 2].find((place) => (one[place] ?? 0) !== (other[place] ?? 0)) ?? 0;
  return (one[at] ?? 0) - (other[at] ?? 0);
}

describe("what npm installs", () => {
  it("runs on the oldest Node that is promised, so that the first thing anybody reads is no warning", () => {
    const oldest = numbersOf(project.engines.node);
    expect(takes(">=22", oldest)).toBe(false);
    expect(takes("^20.19.0 || >=22.12.0", oldest)).toBe(true);
    const tooNew = locked.filter(([, { engines }]) => !takes(engines?.node ?? ">=0", oldest));
    expect(tooNew.map(([path]) => path)).toEqual([]);
    expect(locked.length).toBeGreaterThan(100);
  });

  it("has its install scripts approved, and no others", () => {
    const withScripts = locked
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path, { name }]) => name ?? path.slice(path.lastIndexOf("node_modules/") + 13));
    expect(Object.keys(project.allowScripts).sort()).toEqual([...new Set(withScripts)].sort());
  });
});
