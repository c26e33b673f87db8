// What `.ci/run` runs, with nothing but Node and npm: each step even after a failed one, then the count.
import { spawn } from "node:child_process";

/**
 * @param {readonly string[]} args of npm
 * @returns {Promise<{ code: number, last: string }>} `last` is the last line of its output
 */
function npm(args) {
  const child = spawn("npm", args, {
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
  });
  let tail = "";
  child.stdout.on("data", (chunk) => {
    process.stdout.write(chunk);
    tail = `${tail}${chunk}`.slice(-1000);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({ code: code ?? 128, last: tail.trimEnd().split("\n").at(-1) ?? "" });
    });
  });
}

/**
 * @param {number} passed
 * @param {number} failed
 */
function finish(passed, failed) {
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}

const install = await npm(["ci", "--no-audit", "--no-fund"]);
if (install.code !== 0) {
  finish(0, 1);
} else {
  const check = await npm(["run", "check"]);
  const test = await npm(["test"]);
  const [, passed = "0", failed = "1"] = /^(\d+) passed, (\d+) failed$/.exec(test.last) ?? [];
  // The check counts as one test.
  const checkFailed = check.code === 0 ? 0 : 1;
  finish(Number(passed) + 1 - checkFailed, Number(failed) + checkFailed);
}
