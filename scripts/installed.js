import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./project.js";
import { run } from "./run.js";
import { say } from "./say.js";

/** @typedef {{ version?: string, optional?: boolean, devOptional?: boolean, link?: boolean }} Locked */

/** Installs the locked packages, unless they are there. */
export async function ensureInstalled() {
  requireNode();
  if (isInstalled()) return;
  say("installing packages");
  const code = await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: ROOT });
  if (code !== 0) throw new Error("npm ci failed: see above");
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Error(`Node 20.19 or newer is needed, this is ${process.versions.node}`);
  }
}

/**
 * Compares what npm last installed with the lock file. Times say nothing after a checkout.
 * A package that is optional may be for another platform.
 */
function isInstalled() {
  const locked = packagesOf(join(ROOT, "package-lock.json"));
  const installed = packagesOf(join(ROOT, "node_modules/.package-lock.json"));
  if (!locked || !installed) return false;
  return Object.entries(locked)
    .filter(([path, entry]) => path !== "" && !entry.optional && !entry.devOptional)
    .every(([path, entry]) => installed[path]?.version === entry.version);
}

/**
 * @param {string} file
 * @returns {Record<string, Locked> | null}
 */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages ?? null;
  } catch {
    return null;
  }
}
