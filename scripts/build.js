import { ensureBuilt } from "./built.js";
import { ensureInstalled } from "./installed.js";
import { main } from "./main.js";

await main(async () => {
  await ensureInstalled();
  await ensureBuilt({ tscArgs: process.argv.slice(2) });
  return 0;
});
