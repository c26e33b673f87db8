// Takes a data directory in a process of its own. Says "held", then does what it is told: waits or blocks its event loop.
import { lockDirectory } from "../../src/storage/drivers/directory-lock.js";

const [dir = "", platform = "linux", url = "", manner = "wait"] = process.argv.slice(2);

try {
  const lock = await lockDirectory(dir, platform as NodeJS.Platform);
  if (url !== "") lock.setUrl(url);
  process.stdout.write("held\n", () => {
    while (manner === "block");
  });
  process.stdin.resume();
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : ""}\n`);
}
