import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import {
  claimLockRecord,
  type LockRecord,
  parseLockRecord,
  readLockRecord,
  removeLockRecord,
  writeLockRecord,
} from "./lock-record.js";
import { askHolder, bindSocket, closeSocket, DirectorySocket } from "./lock-socket.js";
import { makeDirectory } from "./make-directory.js";
import { ownIdentity } from "./process-identity.js";

/** An exclusive hold of a data directory. Ends with the process, however that ends. */
export interface DirectoryLock {
  /** Real path of the directory. */
  readonly dir: string;
  /** Tells others where this process's service listens. */
  setUrl(url: string): void;
  release(): Promise<void>;
}

/** The data directory is another process's, or may be. */
export class DirectoryHeldError extends Error {
  readonly pid: number | null;
  readonly url: string | null;

  constructor(dir: string, holder: LockRecord | null) {
    const who = holder === null ? "another process" : `process ${holder.pid}`;
    const where = holder?.url ? `, which serves ${holder.url}` : "";
    super(`the data directory ${dir} is held by ${who}${where}`);
    this.name = "DirectoryHeldError";
    this.pid = holder?.pid ?? null;
    this.url = holder?.url ?? null;
  }
}

type Release = () => Promise<void>;

/** Abstract sockets have no file: the kernel drops them with the process, and no path can be moved away under them. */
function abstractName(dir: string): string {
  const { dev, ino } = statSync(dir, { bigint: true });
  const digest = createHash("sha256").update(`${dev}:${ino}`).digest("hex");
  return `\0muniment-${digest.slice(0, 32)}`;
}

function heldBy(dir: string, said: string | null): DirectoryHeldError {
  return new DirectoryHeldError(dir, parseLockRecord(said ?? "") ?? readLockRecord(dir));
}

/**
 * Linux: an abstract socket decides between processes of one network namespace; a socket in the directory notices a
 * holder in another one, such as a second container on the same volume. Both answer while the holder computes, because
 * the kernel accepts for it.
 */
async function holdBySocket(dir: string, record: () => LockRecord): Promise<Release> {
  const name = abstractName(dir);
  const answer = (): string => JSON.stringify(record());
  const server = await bindSocket(name, answer);
  if (server === null) throw heldBy(dir, await askHolder(name));
  const second = new DirectorySocket(dir);
  const said = await second.ask();
  if (said !== null) {
    await second.close();
    await closeSocket(server);
    throw heldBy(dir, said);
  }
  await second.bind(answer);
  writeLockRecord(dir, record());
  return async () => {
    removeLockRecord(dir);
    await second.close();
    await closeSocket(server);
  };
}

async function holdByRecord(dir: string, record: () => LockRecord): Promise<Release> {
  if (!claimLockRecord(dir, record())) throw new DirectoryHeldError(dir, readLockRecord(dir));
  return async () => removeLockRecord(dir);
}

/**
 * Takes a data directory, made where it is absent. Throws `DirectoryHeldError` where a process holds it, or where it is
 * unclear whether the one that did still lives.
 */
export async function lockDirectory(
  path: string,
  platform: NodeJS.Platform = process.platform,
): Promise<DirectoryLock> {
  makeDirectory(path);
  const dir = realpathSync(path);
  const identity = ownIdentity();
  let url: string | null = null;
  const record = (): LockRecord => ({ ...identity, url });
  const release = await (platform === "linux" ? holdBySocket : holdByRecord)(dir, record);
  return {
    dir,
    setUrl(listening) {
      url = listening;
      writeLockRecord(dir, record());
    },
    release,
  };
}
