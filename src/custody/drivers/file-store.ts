import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { MunimentError } from "../../domain/errors.js";
import { checksumOf, logLine, NO_LINE } from "../chained-log.js";
import type { KeyName } from "../cipher.js";
import type { KeyRecord } from "../key-record.js";
import type { KeyStore } from "../key-store.js";
import { nameText } from "../key-store.js";
import type { Release } from "./exclusive.js";
import { type KeyLog, type KeyLogHeader, keyLogLines } from "./key-log.js";
import { replaceLog } from "./log-file.js";

/** Changes of one batch: one write and one sync for all who wait. */
const BATCH_RECORDS_MAX = 256;

interface Change {
  readonly record: KeyRecord;
  /** The wrapped key that it takes the place of, base64; without one it only goes where nothing stands. */
  readonly replaces?: string;
  readonly done: (now: KeyRecord) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * The key log of one directory, whole in memory. INVARIANT: one writer at a time, and memory holds exactly what was
 * acknowledged: a change is visible once it is synced, and after a failed write the log is made anew from memory.
 */
export class FileKeyStore implements KeyStore {
  readonly custodyId: string;
  readonly #path: string;
  readonly #header: KeyLogHeader;
  readonly #release: Release;
  #records: Map<string, KeyRecord>;
  #file: FileHandle;
  /** Of the last line that is durable. */
  #checksum: string;
  #waiting: Change[] = [];
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  #isDoubtful = false;

  private constructor(path: string, content: KeyLog, file: FileHandle, release: Release) {
    this.custodyId = content.header.custody_id;
    this.#path = path;
    this.#header = content.header;
    this.#records = new Map(content.records.map((record) => [recordText(record), record]));
    this.#file = file;
    this.#checksum = content.checksum;
    this.#release = release;
  }

  /** `content` is what the log at `path` holds; a torn tail after it is cut off. */
  static async open(path: string, content: KeyLog, release: Release): Promise<FileKeyStore> {
    const file = await open(path, "a", 0o600);
    await file.truncate(content.length);
    await file.sync();
    return new FileKeyStore(path, content, file, release);
  }

  async put(
    { tenant, subject, keyId }: KeyName,
    wrapped: Uint8Array,
    at: Date,
  ): Promise<Uint8Array | null> {
    const now = await this.#change({
      tenant,
      subject,
      key_id: keyId,
      wrapped: Buffer.from(wrapped).toString("base64"),
      created_at: at.toISOString(),
    });
    return wrappedOf(now);
  }

  async replace(name: KeyName, before: Uint8Array, after: Uint8Array): Promise<boolean> {
    const standing = this.#records.get(nameText(name));
    if (standing === undefined) return false;
    const record = { ...standing, wrapped: Buffer.from(after).toString("base64") };
    return (await this.#change(record, Buffer.from(before).toString("base64"))) === record;
  }

  async get(name: KeyName): Promise<Uint8Array | null> {
    return wrappedOf(this.#records.get(nameText(name)));
  }

  async destroy({ tenant, subject, keyId }: KeyName, at: Date): Promise<void> {
    await this.#change({ tenant, subject, key_id: keyId, destroyed_at: at.toISOString() });
  }

  async isEmpty(): Promise<boolean> {
    return this.#records.size === 0;
  }

  async check(): Promise<Uint8Array> {
    return Buffer.from(this.#header.check, "base64");
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
    await this.#release();
  }

  /** Resolves with the record that stands under the name when the change is durable. */
  #change(record: KeyRecord, replaces?: string): Promise<KeyRecord> {
    return new Promise((done, failed) => {
      this.#waiting.push({ record, done, failed, ...(replaces === undefined ? {} : { replaces }) });
      if (!this.#isWriting) this.#writing = this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_RECORDS_MAX);
      try {
        const stands = await this.#writeBatch(batch);
        for (const [index, { done }] of batch.entries()) done(stands[index] as KeyRecord);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#isWriting = false;
  }

  /** The record that stands under each change's name afterwards. */
  async #writeBatch(batch: readonly Change[]): Promise<readonly KeyRecord[]> {
    const fresh = new Map<string, KeyRecord>();
    let isRewrite = this.#isDoubtful;
    const stands = batch.map((change) => {
      const { record } = change;
      const name = recordText(record);
      const standing = fresh.get(name) ?? this.#records.get(name);
      if (!takesPlace(change, standing)) return standing ?? record;
      // What is no longer to stand anywhere is taken out of the file, not followed by something else.
      isRewrite ||= standing !== undefined;
      fresh.set(name, record);
      return record;
    });
    if (fresh.size === 0) return stands;
    try {
      if (isRewrite) await this.#rewrite(fresh);
      else await this.#append(fresh);
    } catch (error) {
      this.#isDoubtful = true;
      throw new MunimentError("unavailable", "the key log can't be written", { cause: error });
    }
    return stands;
  }

  async #append(fresh: ReadonlyMap<string, KeyRecord>): Promise<void> {
    const line = logLine(this.#checksum, [...fresh.values()]);
    await this.#file.appendFile(line);
    await this.#file.datasync();
    this.#checksum = checksumOf(line);
    for (const [name, record] of fresh) this.#records.set(name, record);
  }

  async #rewrite(fresh: ReadonlyMap<string, KeyRecord>): Promise<void> {
    const next = new Map([...this.#records, ...fresh]);
    const lines = keyLogLines(this.#header, [...next.values()]);
    await replaceLog(this.#path, lines);
    this.#checksum = checksumOf(lines.at(-1) ?? NO_LINE);
    const old = this.#file;
    this.#file = await open(this.#path, "a");
    this.#records = next;
    this.#isDoubtful = false;
    await old.close();
  }
}

function takesPlace({ record, replaces }: Change, standing: KeyRecord | undefined): boolean {
  if (replaces !== undefined) return standing?.wrapped === replaces;
  if (standing === undefined) return true;
  return record.destroyed_at !== undefined && standing.wrapped !== undefined;
}

function recordText(record: KeyRecord): string {
  return nameText({ tenant: record.tenant, subject: record.subject, keyId: record.key_id });
}

function wrappedOf(record: KeyRecord | undefined): Uint8Array | null {
  return record?.wrapped === undefined ? null : Buffer.from(record.wrapped, "base64");
}
