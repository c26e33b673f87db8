import { existsSync } from "node:fs";
import { join } from "node:path";
import { MunimentError } from "../domain/errors.js";

/** True where the embedded database of this directory was made. */
export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, "db"));
}

/** Nothing was ever kept in this data directory. */
export function nothingAt(dataDir: string): MunimentError {
  return new MunimentError("not_found", `nothing at ${dataDir} yet`, {
    field: "dataDir",
    nextStep: "check --data-dir, or begin there: muniment serve, or muniment route apply",
  });
}
