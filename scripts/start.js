import { join } from "node:path";
import { ensureBuilt } from "./built.js";
import { ensureInstalled } from "./installed.js";
import { main } from "./main.js";
import { ROOT } from "./project.js";
import { runInForeground } from "./run.js";

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const cli = join(ROOT, "dist/cli/main.js");
  const args = ["--enable-source-maps", cli, "serve", "--demo", ...process.argv.slice(2)];
  return runInForeground(process.execPath, args);
});
