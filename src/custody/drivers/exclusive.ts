import { createHash, randomUUID } from "node:crypto";
import { link, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { codeOf, MunimentError } from "../../domain/errors.js";
import { isMissing } from "../durable-file.js";

export type Release = () => Promise<void>;

function busy(directory: string, hint = ""): MunimentError {
  return new MunimentError(
    "unavailable",
    `the custody \`${directory}\` is in use by another process${hint}`,
  );
}

/**
 * Holds the directory for this process until released. On Linux and Windows the kernel holds a name and frees it
 * with the process, however it ends; elsewhere a file with the holder's pid does.
 */
export async function holdDirectory(directory: string): Promise<Release> {
  const { dev, ino } = await stat(directory, { bigint: true });
  const name = createHash("sha256").update(`${dev}:${ino}`).digest("hex");
  if (process.platform === "linux") return holdName(`\0muniment-custody-${name}`, directory);
  if (process.platform === "win32")
    return holdName(`\\\\.\\pipe\\muniment-custody-${name}`, directory);
  return holdFile(directory);
}

function holdName(path: string, directory: string): Promise<Release> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "EADDRINUSE" ? busy(directory) : error);
    });
    server.listen({ path, exclusive: true }, () => {
      server.unref();
      resolve(() => new Promise((released) => server.close(() => released())));
    });
  });
}

/** Holds by a file with our pid. A dead holder's file is taken over, an unclear one refuses. */
export async function holdFile(directory: string): Promise<Release> {
  const path = join(directory, "lock");
  const takeover = `${path}.takeover`;
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, String(process.pid), { mode: 0o600 });
  try {
    if (await linked(own, path)) return () => unlink(path);
    // Only one process looks and removes at a time: nobody removes a file that a living one has put there since.
    if (!(await linked(own, takeover)))
      throw busy(directory, `: if it isn't, delete \`${takeover}\``);
    try {
      await removeDeadLock(path, directory);
      if (await linked(own, path)) return () => unlink(path);
      throw busy(directory);
    } finally {
      await unlink(takeover);
    }
  } finally {
    await unlink(own);
  }
}

async function removeDeadLock(path: string, directory: string): Promise<void> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (text === null) return;
  const pid = Number(text);
  const isUnclear = !Number.isSafeInteger(pid) || pid < 1;
  if (isUnclear || isAlive(pid))
    throw busy(directory, `: if pid ${isUnclear ? "?" : pid} isn't Muniment, delete \`${path}\``);
  await unlink(path);
}

/** A hard link makes a name with its content at once, and never replaces one. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}
