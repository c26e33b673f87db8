import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";

const RUN = pathToFileURL(resolve(import.meta.dirname, "../../scripts/run.js")).href;
/** Stays up, as a service does, and says how it was ended. */
const SERVICE = `
  process.on("SIGTERM", () => { process.stdout.write("stopped"); process.exit(); });
  process.stdout.write("up ");
  setInterval(() => undefined, 60_000);`;
const STARTER = `
  import { runInForeground } from ${JSON.stringify(RUN)};
  const parent = process.ppid;
  const args = ["-e", ${JSON.stringify(SERVICE)}];
  await runInForeground(process.execPath, args, () => process.ppid !== parent);`;

it.skipIf(process.platform === "win32")(
  "a service in the foreground ends with the shell that started it",
  async () => {
    const shell = spawn("sh", ["-c", '"$NODE" --input-type=module -e "$STARTER"; :'], {
      env: { ...process.env, NODE: process.execPath, STARTER },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    shell.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said === "up ") shell.kill("SIGKILL");
    });
    // Only once nobody holds the pipe any more.
    await once(shell, "close");
    expect(said).toBe("up stopped");
  },
);
