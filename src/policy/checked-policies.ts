import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { getCedarVersion } from "@cedar-policy/cedar-wasm/nodejs";
import type { PolicySet, RefusalNote } from "./policy-set.js";

/** Written by the build, seen alike from `src/` and `dist/`. Checking the policies at each start takes most of its time. */
const CHECKED = fileURLToPath(new URL("../../dist/policy/checked-policies.json", import.meta.url));

interface Checked {
  /** What was checked, and by which Cedar. */
  readonly key: string;
  readonly set: Omit<PolicySet, "refusals">;
  readonly refusals: readonly (readonly [string, RefusalNote])[];
}

function keyOf(schema: string, texts: readonly string[]): string {
  const all = JSON.stringify([getCedarVersion(), schema, texts]);
  return createHash("sha256").update(all).digest("hex");
}

/** The set that the build made of exactly these texts; null where they changed since, or nothing was built. */
export function readChecked(schema: string, texts: readonly string[]): PolicySet | null {
  if (!existsSync(CHECKED)) return null;
  const { key, set, refusals } = JSON.parse(readFileSync(CHECKED, "utf8")) as Checked;
  return key === keyOf(schema, texts) ? { ...set, refusals: new Map(refusals) } : null;
}

/** Keeps a set that passed its checks. Run by the build. */
export function writeChecked(
  schema: string,
  texts: readonly string[],
  { refusals, ...set }: PolicySet,
): void {
  const checked: Checked = { key: keyOf(schema, texts), set, refusals: [...refusals] };
  writeFileSync(CHECKED, JSON.stringify(checked));
}
