import { randomUUID } from "node:crypto";
import { access, mkdir, readFile, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../domain/clock.js";
import { MunimentError } from "../../domain/errors.js";
import type { Keyring } from "../../domain/keyring.js";
import { isMissing, syncDirectory } from "../durable-file.js";
import type { Expectation } from "../key-store.js";
import { CustodyKeyring } from "../keyring.js";
import type { MasterKey } from "../master-key.js";
import { verifyMaster } from "../master-key.js";
import type { MasterKeySource } from "../master-key-source.js";
import { loadMasterKey } from "../master-key-source.js";
import { holdDirectory, type Release } from "./exclusive.js";
import { FileKeyStore, replaceLog } from "./file-store.js";
import type { LogContent } from "./key-log.js";
import { checksumOf, logLine, NO_LINE, parseLog } from "./key-log.js";

export interface FileCustodyOptions {
  /** The custody's own directory, such as `DIR/custody`. */
  readonly dir: string;
  readonly masterKey: MasterKeySource;
  readonly clock: Clock;
  readonly expect: Expectation;
}

/**
 * Opens the custody that is embedded beside the database, for this process alone. Throws `unavailable` where it is
 * held by another one, absent though expected, damaged, or made under another master key.
 */
export async function openFileCustody(options: FileCustodyOptions): Promise<Keyring> {
  const { dir, expect } = options;
  try {
    if (expect === "existing") await requireDirectory(dir);
    else await mkdir(dir, { recursive: true, mode: 0o700 });
    const release = await holdDirectory(dir);
    return await openHeld(options, release).catch(async (error: unknown) => {
      await release();
      throw error;
    });
  } catch (cause) {
    if (cause instanceof MunimentError) throw cause;
    throw new MunimentError("unavailable", `the custody \`${dir}\` can't be opened`, { cause });
  }
}

async function requireDirectory(dir: string): Promise<void> {
  await access(dir).catch((error: unknown) => {
    throw isMissing(error) ? absent(dir) : error;
  });
}

async function openHeld(options: FileCustodyOptions, release: Release): Promise<Keyring> {
  const { content, master } = await openLog(options);
  const store = await FileKeyStore.open(join(options.dir, "keys.log"), content, release);
  return new CustodyKeyring(store, master, options.clock);
}

async function openLog({
  dir,
  masterKey,
  expect,
}: FileCustodyOptions): Promise<{ content: LogContent; master: MasterKey }> {
  const path = join(dir, "keys.log");
  const content = await readLog(path);
  if (content !== null) {
    const master = await loadMasterKey(masterKey, false);
    verifyMaster(master, content.header.custody_id, Buffer.from(content.header.check, "base64"));
    // A rewrite that a crash cut short: what it left may be anything.
    await unlink(`${path}.next`).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    return { content, master };
  }
  if (expect === "existing") throw absent(dir);
  const master = await loadMasterKey(masterKey, true);
  const custodyId = randomUUID();
  const check = Buffer.from(master.checkValue(custodyId)).toString("base64");
  const header = { format: 2, custody_id: custodyId, check } as const;
  const line = logLine(NO_LINE, header);
  await replaceLog(path, [line]);
  await syncDirectory(dirname(dir));
  return {
    content: {
      header,
      records: [],
      length: Buffer.byteLength(line),
      checksum: checksumOf(line),
    },
    master,
  };
}

async function readLog(path: string): Promise<LogContent | null> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw new MunimentError("unavailable", `the key log \`${path}\` can't be read`, {
      cause: error,
    });
  });
  return bytes === null ? null : parseLog(bytes, path);
}

function absent(dir: string): MunimentError {
  return new MunimentError(
    "unavailable",
    `the custody \`${dir}\` is absent or empty, but the database was sealed with its keys: restore it from a backup`,
  );
}
