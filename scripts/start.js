import { join } from "node:path";
import { ensureBuilt } from "./built.js";
import { ensureInstalled } from "./installed.js";
import { main } from "./main.js";
import { ROOT } from "./project.js";
import { runInForeground } from "./run.js";

// npm gives a SIGTERM to the shell that it started us in. The shell ends and tells us nothing, except that our parent is
// another one from then on.
const parent = process.ppid;
const isNpms = process.env.npm_lifecycle_event !== undefined;
const orphaned = () => isNpms && process.ppid !== parent;

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const cli = join(ROOT, "dist/cli/main.js");
  const args = ["--enable-source-maps", cli, "serve", "--demo", ...process.argv.slice(2)];
  return runInForeground(process.execPath, args, orphaned);
});
