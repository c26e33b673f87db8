import { randomUUID } from "node:crypto";
import { access, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../domain/clock.js";
import { MunimentError, must } from "../../domain/errors.js";
import type { Keyring } from "../../domain/keyring.js";
import { checksumOf, type LogEnd, logLine, NO_LINE } from "../chained-log.js";
import { isMissing, syncDirectory } from "../durable-file.js";
import type { Expectation } from "../key-store.js";
import { CustodyKeyring } from "../keyring.js";
import type { MasterKey } from "../master-key.js";
import type { MasterKeySource } from "../master-key-source.js";
import { loadMasterKey, loadMasterOf } from "../master-key-source.js";
import { holdDirectory, type Release } from "./exclusive.js";
import { FileLedgerStore, type LedgerLog, parseLedger } from "./file-ledger.js";
import { FileKeyStore } from "./file-store.js";
import { type KeyLog, keyLogLines, parseKeyLog } from "./key-log.js";
import type { LedgerHeader } from "./ledger-log.js";
import { readLogFile, removeFile, replaceLog } from "./log-file.js";

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
  const paths = pathsOf(options.dir);
  const { keyLog, ledger, master } = await openLogs(options, paths);
  const ledgerStore = await FileLedgerStore.open(paths.ledger, ledger);
  const keys = await FileKeyStore.open(paths.keys, keyLog, release);
  return new CustodyKeyring({ keys, ledger: ledgerStore }, master, options.clock);
}

interface Paths {
  readonly keys: string;
  readonly ledger: string;
}

/** The files of a custody. */
export function pathsOf(dir: string): Paths {
  return { keys: join(dir, "keys.log"), ledger: join(dir, "ledger.log") };
}

interface Logs {
  readonly keyLog: KeyLog;
  readonly ledger: LedgerLog;
  readonly master: MasterKey;
}

async function openLogs(options: FileCustodyOptions, paths: Paths): Promise<Logs> {
  const { dir, masterKey, expect } = options;
  const keyLog = await readLogFile(paths.keys, parseKeyLog);
  const ledger = await readLogFile(paths.ledger, parseLedger);
  if (keyLog === null) {
    if (expect === "existing" || (ledger?.shelves.size ?? 0) > 0) throw absent(dir);
    return makeLogs(options, paths);
  }
  const { header } = keyLog;
  const check = Buffer.from(header.check, "base64");
  const master = await loadMasterOf(masterKey, header.custody_id, check, dir);
  // Rewrites that a crash cut short: what they left may be anything.
  for (const path of [paths.keys, paths.ledger]) await removeFile(`${path}.next`);
  if (ledger !== null && ledger.header.custody_id === header.custody_id && header.format === 3)
    return { keyLog, ledger, master };
  if (header.format === 3) throw absent(paths.ledger);
  return { ...(await addLedger(keyLog, paths)), master };
}

async function makeLogs({ dir, masterKey }: FileCustodyOptions, paths: Paths): Promise<Logs> {
  const master = await loadMasterKey(masterKey, true);
  const custodyId = randomUUID();
  const check = Buffer.from(master.checkValue(custodyId)).toString("base64");
  const header = { format: 3, custody_id: custodyId, check } as const;
  const ledger = await makeLedger(paths.ledger, custodyId);
  const line = logLine(NO_LINE, header);
  await replaceLog(paths.keys, [line]);
  await syncDirectory(dirname(dir));
  return { keyLog: { ...endOf(line), header, records: [] }, ledger, master };
}

/** A custody of before the ledger gets an empty one. From then on a version that knows no ledger refuses it. */
async function addLedger(before: KeyLog, paths: Paths): Promise<Omit<Logs, "master">> {
  const header = { ...before.header, format: 3 } as const;
  const ledger = await makeLedger(paths.ledger, header.custody_id);
  await replaceLog(paths.keys, keyLogLines(header, before.records));
  const keyLog = await readLogFile(paths.keys, parseKeyLog);
  return { keyLog: must(keyLog, "the key log that was just written"), ledger };
}

async function makeLedger(path: string, custodyId: string): Promise<LedgerLog> {
  const header: LedgerHeader = { format: 1, custody_id: custodyId };
  const line = logLine(NO_LINE, header);
  await replaceLog(path, [line]);
  return { ...endOf(line), header, shelves: new Map() };
}

function endOf(line: string): LogEnd {
  return { length: Buffer.byteLength(line), checksum: checksumOf(line) };
}

function absent(dir: string): MunimentError {
  return new MunimentError(
    "unavailable",
    `the custody \`${dir}\` is absent or empty, but the database was sealed with its keys: restore it from a backup`,
  );
}
