import { access, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readOperatorFile } from "../config/operator-file.js";
import { readSettings, type Settings, type SettingsInput } from "../config/settings.js";
import { unreadableFile } from "../config/unreadable-file.js";
import type { CustodyContent, Vault } from "../custody/content.js";
import { contentStores } from "../custody/content-stores.js";
import { backupLines, parseBackup } from "../custody/custody-backup.js";
import { fileVault } from "../custody/drivers/file-vault.js";
import { postgresVault } from "../custody/drivers/postgres-vault.js";
import { syncDirectory, writeDurably } from "../custody/durable-file.js";
import { CustodyKeyring } from "../custody/keyring.js";
import {
  compareHeads,
  exportHeads,
  type HeadFinding,
  type LedgerHeads,
  parseHeads,
} from "../custody/ledger-heads.js";
import type { MasterKey } from "../custody/master-key.js";
import { loadMasterOf } from "../custody/master-key-source.js";
import { type MasterRotation, rotateMaster } from "../custody/rotate-master.js";
import { MunimentError } from "../domain/errors.js";
import type { Keyring } from "../domain/keyring.js";
import type { Ledger, LedgerEntry } from "../domain/ledger.js";
import { LIMITS } from "../domain/limits.js";
import { masterKeyOf } from "./database.js";
import { SYSTEM_CLOCK } from "./system-clock.js";

const DAY_MS = 86_400_000;

/** The ends of the ledgers of all tenants, signed, as of now. */
export async function custodyHeads(given: SettingsInput): Promise<LedgerHeads> {
  return withCopy(given, (keyring) => exportHeads(keyring, SYSTEM_CLOCK.now()));
}

export interface HeadVerification {
  readonly ok: boolean;
  readonly findings: readonly HeadFinding[];
}

/** Whether the custody is at least as new as the heads in the file. Throws where any line of its ledger is broken. */
export async function verifyCustody(given: SettingsInput, file: string): Promise<HeadVerification> {
  const heads = parseHeads(readOperatorFile(file));
  const findings = await withCopy(given, async (keyring) => {
    await readThrough(keyring.ledger);
    return compareHeads(keyring, heads);
  });
  return { ok: findings.length === 0, findings };
}

async function readThrough(ledger: Ledger): Promise<void> {
  for (const tenant of await ledger.tenants()) {
    let last: LedgerEntry | undefined;
    do {
      last = (await ledger.read(tenant, last?.seq ?? 0, LIMITS.ledgerRowsMax)).at(-1);
    } while (last !== undefined);
  }
}

export interface CustodyReport {
  readonly file: string;
  readonly taken_at: string;
  readonly keys: number;
  readonly ledger_lines: number;
}

export async function backupCustody(given: SettingsInput, file: string): Promise<CustodyReport> {
  await requireAbsent(file);
  const settings = readSettings(given, process.env);
  // Before it is read: a backup must never look younger than what is in it.
  const takenAt = SYSTEM_CLOCK.now();
  const { content, master } = await openCopy(settings);
  await writeDurably(file, backupLines(content, takenAt, master));
  await syncDirectory(dirname(file));
  return reportOf(file, content, takenAt);
}

export interface CustodyRestore {
  /** Takes a backup that is older than the stated maximum: what was erased since comes back, unless the database knows. */
  readonly acceptAge: boolean;
}

/** Makes the custody of the settings from a backup, where there is none. */
export async function restoreCustody(
  given: SettingsInput,
  file: string,
  { acceptAge }: CustodyRestore,
): Promise<CustodyReport> {
  const settings = readSettings(given, process.env);
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw unreadableFile(file, cause);
  });
  const backup = parseBackup(bytes, file);
  const { content, takenAt } = backup;
  const master = await loadMasterOf(masterKeyOf(settings), content.custodyId, content.check);
  if (!backup.isVouchedBy(master))
    throw new MunimentError(
      "invalid_input",
      `the custody backup \`${file}\` was changed since it was written`,
      { nextStep: "take another backup of the custody" },
    );
  if (!acceptAge) requireYoung(takenAt, settings.custodyBackupDays);
  await vaultOf(settings).write(content);
  return reportOf(file, content, takenAt);
}

/** Wraps all keys under a new master key. */
export async function rotateMasterKey(given: SettingsInput): Promise<MasterRotation> {
  const settings = readSettings(given, process.env);
  if (settings.masterKey !== undefined)
    throw new MunimentError(
      "invalid_input",
      "the master key is given by its value: put it into a file (MUNIMENT_MASTER_KEY_FILE) to change it",
      { field: "masterKey" },
    );
  return rotateMaster(vaultOf(settings), settings.masterKeyFile, SYSTEM_CLOCK.now());
}

function requireYoung(takenAt: Date, daysMax: number): void {
  const days = Math.floor((SYSTEM_CLOCK.now().getTime() - takenAt.getTime()) / DAY_MS);
  if (days < daysMax) return;
  throw new MunimentError(
    "invalid_input",
    `the custody backup is ${days} days old, and keys that were destroyed since would come back`,
    { field: "file", nextStep: `take one of the last ${daysMax} days, or --accept-age` },
  );
}

async function requireAbsent(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere)
    throw new MunimentError("invalid_input", `${file} is there already`, {
      field: "file",
      nextStep: "name a new file",
    });
}

function vaultOf({ dataDir, databaseUrl, migrateUrl, custodyUrl }: Settings): Vault {
  return databaseUrl === undefined
    ? fileVault(join(dataDir, "custody"))
    : postgresVault(custodyUrl ?? migrateUrl ?? databaseUrl);
}

interface Copy {
  readonly content: CustodyContent;
  readonly master: MasterKey;
}

async function openCopy(settings: Settings): Promise<Copy> {
  const content = await vaultOf(settings).read();
  if (content === null) throw new MunimentError("unavailable", "there is no custody yet");
  const { custodyId, check } = content;
  return { content, master: await loadMasterOf(masterKeyOf(settings), custodyId, check) };
}

async function withCopy<R>(
  given: SettingsInput,
  body: (keyring: Keyring) => Promise<R>,
): Promise<R> {
  const { content, master } = await openCopy(readSettings(given, process.env));
  const keyring = new CustodyKeyring(contentStores(content), master, SYSTEM_CLOCK);
  try {
    return await body(keyring);
  } finally {
    await keyring.close();
  }
}

function reportOf(file: string, { keys, lines }: CustodyContent, takenAt: Date): CustodyReport {
  const live = keys.filter(({ wrapped }) => wrapped !== null).length;
  return { file, taken_at: takenAt.toISOString(), keys: live, ledger_lines: lines.length };
}
