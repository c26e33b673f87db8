import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBuilt } from "./built.js";
import { ensureInstalled } from "./installed.js";
import { ROOT } from "./project.js";
import { runInForeground } from "./run.js";

/**
 * Runs `<folder>/main.ts` on the built package, with our arguments.
 * @param {"eval" | "bench" | "soak"} folder
 */
export async function runTool(folder) {
  await ensureInstalled();
  await ensureBuilt();
  const file = join(ROOT, folder, "main.ts");
  if (!existsSync(file)) throw new Error(`${folder}/main.ts doesn't exist`);
  const loader = pathToFileURL(join(ROOT, "scripts/typescript.js")).href;
  const args = ["--import", loader, "--enable-source-maps", file, ...process.argv.slice(2)];
  return runInForeground(process.execPath, args);
}
