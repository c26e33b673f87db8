import type { Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { notAFile, unreadableFile } from "../../config/unreadable-file.js";
import { MunimentError } from "../../domain/errors.js";
import { jsonlRows } from "./jsonl.js";
import { isLocomo, locomoRows } from "./locomo.js";
import { openaiRows } from "./openai.js";
import { type Defaults, isObject, type Parsed } from "./row.js";
import { readUtf8, readUtf8Lines } from "./utf8-file.js";

export const FORMATS = ["auto", "jsonl", "openai", "locomo"] as const;
export type Format = (typeof FORMATS)[number];

export interface Source {
  readonly file: string;
  readonly format: Format;
  readonly subject: string | null;
  readonly session: string | null;
  readonly observedAt: string | null;
}

/** A JSON document is read whole; JSON Lines are read line by line, however many there are. */
const DOCUMENT_BYTES_MAX = 256 * 1024 * 1024;
const LOOK_BYTES = 65_536;

/** The turns of a transcript file, in its order. */
export async function* readTranscript(source: Source): AsyncGenerator<Parsed> {
  const { file, subject, session, observedAt } = source;
  const found = await findFile(file);
  const name = session ?? basename(file, extname(file));
  const defaults: Defaults = { session: name, observedAt, fileTime: found.mtime.toISOString() };
  const format = source.format === "auto" ? await formatOf(file) : source.format;
  if (format === "jsonl") {
    yield* readLines(file, defaults);
    return;
  }
  const value = await readDocument(file, found.size);
  if (format === "locomo" || (format === "document" && isLocomo(value))) {
    yield* locomoRows(value, subject);
  } else if (format === "document" && isObject(value) && !("messages" in value)) {
    // A single turn, all on one line or not.
    yield* jsonlRows(JSON.stringify(value), 1, defaults);
  } else {
    yield* openaiRows(value, defaults);
  }
}

/** Refuses what isn't a file that can be read. */
export async function findFile(file: string): Promise<Stats> {
  const found = await stat(file).catch((cause: unknown) => {
    throw unreadableFile(file, cause);
  });
  if (!found.isFile()) throw notAFile(file);
  return found;
}

async function* readLines(file: string, defaults: Defaults): AsyncGenerator<Parsed> {
  let number = 0;
  for await (const line of readUtf8Lines(file)) {
    number += 1;
    if (line !== null) yield* jsonlRows(line, number, defaults);
    else yield { place: `line ${number}`, field: "line", message: "isn't UTF-8" };
  }
}

/** A file that is one JSON document. */
export async function readDocument(file: string, bytes: number): Promise<unknown> {
  if (bytes > DOCUMENT_BYTES_MAX) {
    const message = `${file} is too large for one JSON document: use JSON Lines`;
    throw new MunimentError("too_large", message);
  }
  const text = await readUtf8(file);
  if (text === null)
    throw new MunimentError("invalid_input", `${file} isn't UTF-8`, {
      nextStep: "save it as UTF-8",
    });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MunimentError("invalid_input", `${file} isn't JSON${placeOf(error, text)}`, {
      nextStep: "correct it there, or name what it is with --format",
    });
  }
}

/** The parser's own message quotes the file: only the place is taken out of it, where it has one. */
function placeOf(error: unknown, text: string): string {
  const [, position] = /at position (\d+)/.exec(String(error)) ?? [];
  if (position === undefined) return "";
  const lines = text.slice(0, Number(position)).split("\n");
  return ` at line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}

/** By its ending, else by its first line: one that is a whole object with more behind it is JSON Lines. */
async function formatOf(file: string): Promise<"jsonl" | "document"> {
  if ([".jsonl", ".ndjson"].includes(extname(file).toLowerCase())) return "jsonl";
  const start = (await readStart(file)).replace(/^\uFEFF/, "").trimStart();
  const end = start.indexOf("\n");
  if (end < 0 || start.slice(end).trim() === "" || !start.startsWith("{")) return "document";
  try {
    JSON.parse(start.slice(0, end));
    return "jsonl";
  } catch {
    return "document";
  }
}

async function readStart(file: string): Promise<string> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LOOK_BYTES), 0, LOOK_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
