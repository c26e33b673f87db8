import { spawn } from "node:child_process";

/**
 * Runs a program to its end. What it prints is shown on stderr unless `stdout` says otherwise.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, stdout?: "inherit" | "stderr" | "quiet" }} [options]
 * @returns {Promise<number>} its exit code; 128 where a signal ended it
 */
export function run(command, args, { cwd = process.cwd(), stdout = "stderr" } = {}) {
  const out = { inherit: 1, stderr: 2, quiet: /** @type {const} */ ("ignore") }[stdout];
  const child = spawn(command, args, {
    cwd,
    stdio: ["ignore", out, stdout === "quiet" ? "ignore" : 2],
    shell: process.platform === "win32" && command === "npm",
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 128));
  });
}

const ORPHAN_LOOK_MS = 500;

/**
 * Runs a program in the foreground: it has the terminal, and gets each signal that we get once.
 * It has a process group of its own, else Ctrl-C would reach it a second time through the terminal.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {() => boolean} [orphaned] looked at twice a second: true ends the program as a SIGTERM does
 * @returns {Promise<number>}
 */
export function runInForeground(command, args, orphaned = () => false) {
  const own = process.platform !== "win32";
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"], detached: own });
  const sent = new Map();
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      // npm forwards a signal that the terminal has already sent: within a second it's the same one.
      if (Date.now() - (sent.get(signal) ?? 0) < 1000) return;
      sent.set(signal, Date.now());
      child.kill(signal);
    });
  }
  const watch = setInterval(() => {
    if (!orphaned()) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, ORPHAN_LOOK_MS);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearInterval(watch);
      resolve(code ?? 128);
    });
  });
}
