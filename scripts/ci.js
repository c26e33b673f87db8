// Runs the three commands that `.ci/run` names, with nothing but Node and npm: install, check, test. Then the count.
import { spawn } from "node:child_process";

/**
 * @param {string} command
 * @returns {Promise<{ code: number, last: string }>} `last` is the last line of its output
 */
function run(command) {
  const child = spawn(command, { stdio: ["ignore", "pipe", "inherit"], shell: true });
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

const [toInstall = "", toCheck = "", toTest = ""] = process.argv.slice(2);
const install = await run(toInstall);
if (install.code !== 0) {
  finish(0, 1);
} else {
  const check = await run(toCheck);
  const test = await run(toTest);
  const [, passed = "0", failed = "1"] = /^(\d+) passed, (\d+) failed$/.exec(test.last) ?? [];
  // The check counts as one test.
  const checkFailed = check.code === 0 ? 0 : 1;
  finish(Number(passed) + 1 - checkFailed, Number(failed) + checkFailed);
}
