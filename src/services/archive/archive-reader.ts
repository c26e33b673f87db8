import { createHash } from "node:crypto";
import {
  type ArchiveLine,
  isWhole,
  LineCounts,
  type Manifest,
  parseLine,
  parseManifest,
} from "../../domain/archive.js";
import { MunimentError } from "../../domain/errors.js";

/** A line of an archive with its number in the file, from 1. */
export interface NumberedLine {
  readonly number: number;
  readonly line: ArchiveLine;
}

/** Reads an archive line by line: its manifest first, then what it holds. Whether it is whole is known at its end. */
export class ArchiveReader {
  readonly #counts = new LineCounts();
  readonly #hash = createHash("sha256");
  #whole = false;

  /** True once the trailer was read, and the lines before it were those that it counts. */
  get isWhole(): boolean {
    return this.#whole;
  }

  /** Throws where the first line is no manifest that this version reads, or a line is no line. */
  async *read(
    lines: AsyncIterable<string>,
    onManifest: (manifest: Manifest) => void,
  ): AsyncGenerator<NumberedLine, void, undefined> {
    let number = 0;
    for await (const text of lines) {
      number += 1;
      const line = lineAt(number, text);
      if (number === 1) onManifest(parseManifest(line));
      if (line.kind === "trailer") {
        this.#whole = isWhole(line, this.#counts, this.#hash.copy().digest("hex"));
        continue;
      }
      this.#whole = false;
      this.#hash.update(`${text}\n`);
      if (number === 1) continue;
      this.#counts.add(line.kind);
      yield { number, line };
    }
    if (number === 0)
      throw new MunimentError("invalid_input", "the archive is empty", { field: "archive" });
  }
}

function lineAt(number: number, text: string): ArchiveLine {
  try {
    return parseLine(text);
  } catch (error) {
    if (!(error instanceof MunimentError)) throw error;
    const { kind, message, field, nextStep } = error;
    const said =
      number === 1
        ? "it isn't an archive: its first line is no manifest"
        : `${message} (line ${number})`;
    throw new MunimentError(kind, said, { ...(field && { field }), ...(nextStep && { nextStep }) });
  }
}

/** Reads an archive to its end without taking anything in. Throws `invalid_input` where it is cut off or was changed. */
export async function checkArchive(lines: AsyncIterable<string>): Promise<Manifest> {
  const reader = new ArchiveReader();
  let manifest: Manifest | undefined;
  const own = reader.read(lines, (read) => {
    manifest = read;
  });
  for await (const _line of own);
  if (manifest === undefined || !reader.isWhole)
    throw new MunimentError(
      "invalid_input",
      "the archive is cut off, or was changed since it was written: its trailer doesn't fit its lines",
      { field: "archive", nextStep: "export it again, or copy it again from where it is whole" },
    );
  return manifest;
}
