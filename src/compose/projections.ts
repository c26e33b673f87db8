import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOperatorFile } from "../config/operator-file.js";
import { assert } from "../domain/errors.js";
import type { Projection } from "../domain/projection.js";
import { parseProjection } from "../domain/projection-rules.js";

/** The package's own `projections/`, seen alike from `src/` and `dist/`. */
const PROJECTION_DIRECTORY = fileURLToPath(new URL("../../projections/", import.meta.url));

/** The projections of a directory, by name. Throws where one is wrong, or two have one name. */
export function loadProjections(directory: string = PROJECTION_DIRECTORY): readonly Projection[] {
  const projections = readdirSync(directory)
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .map((name) => parseProjection(readOperatorFile(join(directory, name))));
  const ids = new Set(projections.map(({ id }) => id));
  assert(ids.size === projections.length, "two projections have one name");
  return projections;
}
