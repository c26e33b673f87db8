import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../domain/errors.js";
import { livenessOf, type ProcessIdentity } from "./process-identity.js";

/** Who holds a data directory, as `lock.json` in it says. */
export interface LockRecord extends ProcessIdentity {
  /** Where the holder's service listens; null where it doesn't yet. */
  readonly url: string | null;
}

const fileOf = (dir: string): string => join(dir, "lock.json");

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function parseLockRecord(text: string): LockRecord | null {
  try {
    const value = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    if (value === null || !Number.isSafeInteger(value.pid)) return null;
    return {
      pid: Number(value.pid),
      startTime: textOf(value.startTime),
      bootId: textOf(value.bootId),
      url: textOf(value.url),
    };
  } catch {
    return null;
  }
}

function readText(dir: string): string | null {
  try {
    return readFileSync(fileOf(dir), "utf8");
  } catch {
    return null;
  }
}

export function readLockRecord(dir: string): LockRecord | null {
  const text = readText(dir);
  return text === null ? null : parseLockRecord(text);
}

/** Replaces the record whole: a reader never sees half of one. */
export function writeLockRecord(dir: string, record: LockRecord): void {
  const unfinished = `${fileOf(dir)}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(record), { mode: 0o600 });
  renameSync(unfinished, fileOf(dir));
}

export function removeLockRecord(dir: string): void {
  rmSync(fileOf(dir), { force: true });
}

/** Moves away what a dead holder left. Two may see the same one: only what was judged goes, and only once. */
function moveDead(dir: string, judged: string): boolean {
  const dead = `${fileOf(dir)}.dead.${process.pid}`;
  try {
    renameSync(fileOf(dir), dead);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return true;
    throw error;
  }
  const isJudged = readFileSync(dead, "utf8") === judged;
  if (!isJudged) linkSync(dead, fileOf(dir));
  rmSync(dead, { force: true });
  return isJudged;
}

/**
 * Takes the directory by the record alone, where the platform has nothing better. False where a process that lives, or
 * may live, holds it.
 */
export function claimLockRecord(dir: string, record: LockRecord): boolean {
  const found = readText(dir);
  if (found !== null) {
    const holder = parseLockRecord(found);
    if (holder === null || livenessOf(holder) !== "dead" || !moveDead(dir, found)) return false;
  }
  try {
    writeFileSync(fileOf(dir), JSON.stringify(record), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}
