import { MunimentError } from "../../domain/errors.js";
import type { Figures } from "../../http/metrics.js";

/** What doctor looks at, in its order. */
export const CHECKS = [
  "disk",
  "lock",
  "database",
  "migrations",
  "roles",
  "row_level_security",
  "custody",
  "issuers",
  "model",
] as const;
/** Those about the database and its keys. */
export const DATABASE_CHECKS = CHECKS.filter(
  (name) => name !== "disk" && name !== "lock" && name !== "issuers" && name !== "model",
);
export type CheckName = (typeof CHECKS)[number];

export interface Check {
  readonly name: CheckName;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it, where that is known. */
  readonly next_step?: string;
}

export interface Diagnosis {
  readonly ok: boolean;
  readonly checks: readonly Check[];
  /** Fine for a test, not for a deployment. */
  readonly warnings: readonly string[];
  /** What the running service counts; null where it serves no metrics or none runs. */
  readonly figures: Figures | null;
}

export const good = (name: CheckName, detail: string): Check => ({ name, ok: true, detail });
export const bad = (name: CheckName, detail: string): Check => ({ name, ok: false, detail });

export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : "it doesn't answer";
}

/** Turns what a look throws into a finding. */
export async function looked(name: CheckName, look: () => Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (error) {
    const found = bad(name, messageOf(error));
    const next = error instanceof MunimentError ? error.nextStep : undefined;
    return next === undefined ? found : { ...found, next_step: next };
  }
}

/** All checks in their order; one that nobody came to is a finding too. */
export function inOrder(found: readonly Check[]): readonly Check[] {
  return CHECKS.map(
    (name) => found.find((check) => check.name === name) ?? bad(name, "not looked at: see above"),
  );
}
