import { extname } from "node:path";
import { findFile, readDocument } from "../import/read-file.js";
import { readUtf8Lines } from "../import/utf8-file.js";
import { langgraphItem, langgraphItems } from "./langgraph.js";
import { lettaMemories, lettaMemory } from "./letta.js";
import { mem0Memories, mem0Memory } from "./mem0.js";
import type { ParsedMemory } from "./memory.js";
import { plainRecord } from "./records.js";

export const ORIGINS = ["mem0", "langgraph", "letta", "jsonl"] as const;
export type Origin = (typeof ORIGINS)[number];

interface Reader {
  /** A whole JSON document. */
  readonly document: (value: unknown) => readonly ParsedMemory[];
  /** One value of JSON Lines. */
  readonly line: (value: unknown, place: string) => ParsedMemory;
}

const READERS = {
  mem0: { document: mem0Memories, line: mem0Memory },
  langgraph: { document: langgraphItems, line: langgraphItem },
  letta: { document: lettaMemories, line: lettaMemory },
  jsonl: {
    document: (value) =>
      (Array.isArray(value) ? value : [value]).map((one: unknown, index) =>
        plainRecord(one, `record ${index + 1}`),
      ),
    line: plainRecord,
  },
} as const satisfies Record<Origin, Reader>;

const LINE_ENDINGS: readonly string[] = [".jsonl", ".ndjson"];

/** What an export holds, in its order. JSON Lines are read line by line, however many there are. */
export async function* readExport(file: string, origin: Origin): AsyncGenerator<ParsedMemory> {
  const found = await findFile(file);
  const { document, line } = READERS[origin];
  if (LINE_ENDINGS.includes(extname(file).toLowerCase())) yield* readLines(file, line);
  else yield* document(await readDocument(file, found.size));
}

async function* readLines(file: string, read: Reader["line"]): AsyncGenerator<ParsedMemory> {
  let number = 0;
  for await (const text of readUtf8Lines(file)) {
    number += 1;
    const place = `line ${number}`;
    if (text === null) {
      yield { place, field: "line", message: "isn't UTF-8" };
      continue;
    }
    if (text.trim() === "") continue;
    const value = parse(text);
    yield value === undefined
      ? { place, field: "line", message: "isn't JSON" }
      : read(value, place);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
