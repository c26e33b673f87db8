import { createHash } from "node:crypto";
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchiveLine,
  EXCLUDED,
  LineCounts,
  type Manifest,
  type Trailer,
} from "../../domain/archive.js";

export interface Beginning extends Pick<Manifest, "of" | "tenant" | "kinds" | "ledger"> {
  readonly at: Date;
}

/** Writes the lines of one archive, and keeps what its trailer says of them. */
export class ArchiveWriter {
  readonly #counts = new LineCounts();
  readonly #unreadable = new LineCounts();
  readonly #hash = createHash("sha256");

  manifest({ of, tenant, kinds, at, ledger }: Beginning): string {
    const manifest: Manifest = {
      kind: "manifest",
      format: ARCHIVE_FORMAT,
      version: ARCHIVE_VERSION,
      of,
      tenant,
      exported_at: at.toISOString(),
      ledger,
      kinds,
      excluded: EXCLUDED,
    };
    return this.#write(manifest);
  }

  line(line: ArchiveLine): string {
    this.#counts.add(line.kind);
    return this.#write(line);
  }

  /** A row that isn't in the archive, since it doesn't open where it stands. */
  unreadable(kind: string, rows: number): void {
    this.#unreadable.add(kind, rows);
  }

  trailer(): string {
    const trailer: Trailer = {
      kind: "trailer",
      counts: this.#counts.counts,
      unreadable: this.#unreadable.counts,
      sha256: this.#hash.digest("hex"),
    };
    return JSON.stringify(trailer);
  }

  #write(value: object): string {
    const text = JSON.stringify(value);
    this.#hash.update(`${text}\n`);
    return text;
  }
}
