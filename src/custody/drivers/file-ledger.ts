import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { MunimentError } from "../../domain/errors.js";
import { type TenantId, trustedId } from "../../domain/ids.js";
import { type LedgerHead, NO_HEAD } from "../../domain/ledger.js";
import { checksumOf, jsonOf, type LinePlace, type LogEnd, logLine } from "../chained-log.js";
import type { LedgerStore, StoredLine } from "../ledger-store.js";
import { type LedgerHeader, type LedgerRecord, readLedger } from "./ledger-log.js";

/** Where one tenant's lines stand. */
interface Shelf {
  readonly head: LedgerHead;
  /** Of line 1, 2, ... within the file. */
  readonly places: LinePlace[];
}

export interface LedgerLog extends LogEnd {
  readonly header: LedgerHeader;
  readonly shelves: ReadonlyMap<string, Shelf>;
}

/** Reads a whole ledger; null for an empty file. Keeps the places of its lines, not the lines. */
export function parseLedger(bytes: Buffer, path: string): LedgerLog | null {
  const shelves = new Map<string, Shelf>();
  const ledger = readLedger(bytes, path, (record, place) => file(shelves, record, place));
  return ledger && { ...ledger, shelves };
}

function file(shelves: Map<string, Shelf>, record: LedgerRecord, place: LinePlace): void {
  const places = shelves.get(record.tenant)?.places ?? [];
  places.push(place);
  shelves.set(record.tenant, { head: { seq: record.seq, mac: record.mac }, places });
}

/**
 * The ledger of one directory. INVARIANT: one append at a time, and what is read was synced: what a failed append may
 * have left is cut off before the next one.
 */
export class FileLedgerStore implements LedgerStore {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #shelves: Map<string, Shelf>;
  #end: LogEnd;
  #isDoubtful = false;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(path: string, log: LedgerLog, file: FileHandle) {
    this.#path = path;
    this.#file = file;
    this.#shelves = new Map(log.shelves);
    this.#end = log;
  }

  /** `log` is what the file at `path` holds; a torn tail after it is cut off. */
  static async open(path: string, log: LedgerLog): Promise<FileLedgerStore> {
    const file = await open(path, "a+", 0o600);
    await file.truncate(log.length);
    await file.sync();
    return new FileLedgerStore(path, log, file);
  }

  append(tenant: TenantId, chain: (head: LedgerHead) => readonly StoredLine[]): Promise<void> {
    const appended = this.#turn.then(() => this.#append(tenant, chain));
    this.#turn = appended.catch(() => undefined);
    return appended;
  }

  async read(tenant: TenantId, seq: number, limit: number): Promise<readonly StoredLine[]> {
    const places = this.#shelves.get(tenant)?.places.slice(seq - 1, seq - 1 + limit) ?? [];
    const lines: StoredLine[] = [];
    for (const place of new Set(places)) {
      const { buffer } = await this.#file.read(Buffer.alloc(place.bytes), 0, null, place.start);
      const records = JSON.parse(jsonOf(buffer.toString("utf8"))) as readonly LedgerRecord[];
      lines.push(...records.filter((record) => record.tenant === tenant && record.seq >= seq));
    }
    return lines.slice(0, limit);
  }

  async head(tenant: TenantId): Promise<LedgerHead> {
    return this.#shelves.get(tenant)?.head ?? NO_HEAD;
  }

  async tenants(): Promise<readonly TenantId[]> {
    return [...this.#shelves.keys()].sort().map((tenant) => trustedId<"TenantId">(tenant));
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#file.close();
  }

  async #append(
    tenant: TenantId,
    chain: (head: LedgerHead) => readonly StoredLine[],
  ): Promise<void> {
    const records = chain(await this.head(tenant)).map((line) => ({ tenant, ...line }));
    const line = logLine(this.#end.checksum, records);
    try {
      if (this.#isDoubtful) await this.#file.truncate(this.#end.length);
      this.#isDoubtful = true;
      await this.#file.appendFile(line);
      await this.#file.datasync();
      this.#isDoubtful = false;
    } catch (cause) {
      throw new MunimentError("unavailable", `the ledger \`${this.#path}\` can't be written`, {
        cause,
      });
    }
    const bytes = Buffer.byteLength(line);
    const place = { start: this.#end.length, bytes: bytes - 1 };
    for (const record of records) file(this.#shelves, record, place);
    this.#end = { length: this.#end.length + bytes, checksum: checksumOf(line) };
  }
}
