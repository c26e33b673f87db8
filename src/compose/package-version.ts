import { readFileSync } from "node:fs";

/** The package's own, seen alike from `src/` and `dist/`. */
const PACKAGE = new URL("../../package.json", import.meta.url);

export function packageVersion(): string {
  return String(JSON.parse(readFileSync(PACKAGE, "utf8")).version);
}
