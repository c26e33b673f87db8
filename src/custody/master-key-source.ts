import { randomBytes } from "node:crypto";
import { link, mkdir, open, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, MunimentError } from "../domain/errors.js";
import { KEY_BYTES } from "./derive.js";
import { isMissing, syncDirectory, writeDurably } from "./durable-file.js";
import { isMasterOf, MasterKey } from "./master-key.js";

/** Where the master key comes from: exactly one of the two. */
export interface MasterKeySource {
  /** Path of a file that holds the key as hex or base64, readable by its owner alone. */
  readonly file?: string;
  /** The key itself: 32 bytes as hex or base64. */
  readonly value?: string;
}

const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;
/** Above any spelling of a key: a wrong path shouldn't be read whole. */
const FILE_BYTES_MAX = 1_024;

function refuse(message: string, cause?: unknown): MunimentError {
  return new MunimentError("unavailable", message, { cause });
}

function parse(text: string, origin: string): MasterKey {
  const spelled = text.trim();
  const encoding = HEX.test(spelled) ? "hex" : BASE64.test(spelled) ? "base64" : null;
  if (encoding === null) throw refuse(`${origin} isn't 32 bytes as hex or base64`);
  const bytes = Buffer.from(spelled, encoding);
  if (bytes.length !== KEY_BYTES) throw refuse(`${origin} isn't 32 bytes as hex or base64`);
  const master = new MasterKey(bytes);
  bytes.fill(0);
  return master;
}

function unreadable(path: string, cause: unknown): MunimentError {
  return refuse(`the master key file \`${path}\` can't be read`, cause);
}

/** Null where there is no such file. */
async function readKeyFile(path: string): Promise<MasterKey | null> {
  const file = await open(path, "r").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw unreadable(path, error);
  });
  if (file === null) return null;
  try {
    const { mode } = await file.stat();
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw refuse(
        `the master key file \`${path}\` is open to other users: run \`chmod 600\` on it`,
      );
    }
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(FILE_BYTES_MAX),
      0,
      FILE_BYTES_MAX,
      0,
    );
    const master = parse(
      buffer.toString("latin1", 0, bytesRead),
      `the master key file \`${path}\``,
    );
    buffer.fill(0);
    return master;
  } catch (error) {
    throw error instanceof MunimentError ? error : unreadable(path, error);
  } finally {
    await file.close();
  }
}

/** Appears whole or not at all, and never replaces a file that is there. */
async function makeKeyFile(path: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.${randomBytes(6).toString("hex")}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await writeDurably(unfinished, `${randomBytes(KEY_BYTES).toString("base64")}\n`);
    await link(unfinished, path).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    await syncDirectory(dirname(path));
  } catch (error) {
    throw refuse(`the master key file \`${path}\` can't be made`, error);
  } finally {
    await unlink(unfinished).catch(() => undefined);
  }
}

/**
 * Reads the master key. `custodyIsNew` alone lets a missing file be made (mode 0600): a new key beside keys that
 * another one wrapped would only hide the loss.
 */
export async function loadMasterKey(
  source: MasterKeySource,
  custodyIsNew: boolean,
): Promise<MasterKey> {
  if (source.value !== undefined && source.file !== undefined) {
    throw refuse("the master key is configured twice: give its file or its value");
  }
  if (source.value !== undefined) return parse(source.value, "the configured master key");
  if (source.file === undefined)
    throw refuse("no master key is configured: give its file or its value");
  const existing = await readKeyFile(source.file);
  if (existing !== null) return existing;
  if (!custodyIsNew) {
    throw refuse(
      `the master key file \`${source.file}\` is missing, and this custody was made under it: restore the file`,
    );
  }
  await makeKeyFile(source.file);
  const made = await readKeyFile(source.file);
  if (made === null) throw refuse(`the master key file \`${source.file}\` can't be made`);
  return made;
}

/** Where the next master key stands while it takes the place of the one in `file`. */
export function nextKeyFile(file: string): string {
  return `${file}.next`;
}

/** The master key that wraps the keys of a custody: `FILE`, or `FILE.next` while the one takes the other's place. */
export async function loadMasterOf(
  source: MasterKeySource,
  custodyId: string,
  check: Uint8Array,
  custodyDir?: string,
): Promise<MasterKey> {
  if (source.file !== undefined && source.value === undefined) {
    const next = await readKeyFile(nextKeyFile(source.file));
    if (next !== null && isMasterOf(next, custodyId, check)) return next;
  }
  const master = await loadMasterKey(source, false);
  if (!isMasterOf(master, custodyId, check)) throw otherMaster(source, custodyDir);
  return master;
}

/** Most likely a key file and a data directory of two installations. */
function otherMaster({ file }: MasterKeySource, custodyDir?: string): MunimentError {
  const given = file === undefined ? "the configured one" : `that of \`${file}\``;
  const made = custodyDir === undefined ? "it was made with" : `\`${custodyDir}\` was made with`;
  const message = `this custody was made under another master key than ${given}`;
  return new MunimentError("unavailable", message, {
    nextStep: `give the key that ${made}: check MUNIMENT_MASTER_KEY_FILE and --data-dir`,
  });
}
