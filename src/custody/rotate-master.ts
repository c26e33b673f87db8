import { rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { MunimentError } from "../domain/errors.js";
import type { CustodyContent, Vault } from "./content.js";
import { isMissing, syncDirectory } from "./durable-file.js";
import { isMasterOf, type MasterKey } from "./master-key.js";
import { loadMasterKey, loadMasterOf, nextKeyFile } from "./master-key-source.js";

export interface MasterRotation {
  /** Keys that the new master key wraps now. */
  readonly keys: number;
  /** Where the new master key stands. */
  readonly file: string;
  /** Where the one before was put: backups of custody from before still need it. */
  readonly before: string | null;
}

/**
 * Wraps all keys under a new master key, which takes the place of the one in `file`. The new one is on the disk as
 * `FILE.next` before any key is wrapped under it, and custody changes over at once: wherever this is cut short, one of
 * the two opens the custody, every opening finds which, and the next call goes on from there.
 */
export async function rotateMaster(vault: Vault, file: string, at: Date): Promise<MasterRotation> {
  const nextFile = nextKeyFile(file);
  const content = await vault.read();
  if (content === null) throw new MunimentError("unavailable", "there is no custody yet");
  const { custodyId, check } = content;
  const master = await loadMasterOf({ file }, custodyId, check);
  const next = await loadMasterKey({ file: nextFile }, true);
  if (!isMasterOf(next, custodyId, check))
    await vault.rewrap((standing) => rewrapped(standing, master, next));
  const before = await moveAway(file, at);
  await rename(nextFile, file);
  await syncDirectory(dirname(file));
  const keys = content.keys.filter(({ wrapped }) => wrapped !== null).length;
  return { keys, file, before };
}

function rewrapped(content: CustodyContent, master: MasterKey, next: MasterKey): CustodyContent {
  const { custodyId } = content;
  const keys = content.keys.map((key) => {
    if (key.wrapped === null) return key;
    const data = master.unwrap(custodyId, key, key.wrapped);
    const wrapped = next.wrap(custodyId, key, data);
    data.fill(0);
    return { ...key, wrapped };
  });
  return { ...content, keys, check: next.checkValue(custodyId) };
}

/** Null where a crash came between moving the old one away and putting the new one in its place. */
async function moveAway(file: string, at: Date): Promise<string | null> {
  const before = `${file}.before-${at.toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
  try {
    await stat(file);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  await rename(file, before);
  return before;
}
