import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { MunimentError } from "../../domain/errors.js";
import type { Migration } from "../migrate.js";

export const BACKUP_FORMAT = 1;

/** What one file of a backup holds. */
export interface BackupFile {
  readonly table: string;
  readonly rows: number;
  readonly sha256: string;
}

/** Written last: a backup without one was cut short. Holds no content and no id from outside. */
export interface BackupManifest {
  readonly format: typeof BACKUP_FORMAT;
  readonly made_at: string;
  /** Version of muniment that made it. */
  readonly muniment: string;
  readonly migrations: readonly Pick<Migration, "number" | "name" | "sha256">[];
  readonly files: readonly BackupFile[];
  /** How far each tenant's erasures are in it: what custody's ledger has beyond is applied again at the next start. */
  readonly ledger_heads: readonly LedgerPosition[];
}

export interface LedgerPosition {
  readonly tenant_id: string;
  readonly seq: number;
  readonly mac: string;
}

export function manifestOf(dir: string): string {
  return join(dir, "manifest.json");
}

export function fileOf(dir: string, table: string): string {
  return join(dir, `${table}.jsonl`);
}

export function unusable(
  dir: string,
  why: string,
  nextStep = "restore another backup",
): MunimentError {
  return new MunimentError("invalid_input", `the backup \`${dir}\` can't be restored: ${why}`, {
    field: "dir",
    nextStep,
  });
}

export async function readManifest(dir: string): Promise<BackupManifest> {
  const text = await readFile(manifestOf(dir), "utf8").catch(() => null);
  if (text === null) {
    if (!existsSync(dir)) throw unusable(dir, "it doesn't exist", "check the path");
    throw unusable(dir, "it has no manifest.json, so it is none or was cut short");
  }
  const manifest = parse(text);
  if (manifest === null) throw unusable(dir, "its manifest.json is damaged");
  if (manifest.format !== BACKUP_FORMAT)
    throw unusable(dir, "it was made by another version of muniment", "restore it with that one");
  return manifest;
}

function parse(text: string): BackupManifest | null {
  try {
    return JSON.parse(text) as BackupManifest;
  } catch {
    return null;
  }
}
