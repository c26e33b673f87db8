import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

// A text with other bytes in it is told, never mended: what stands in for them would be remembered as said.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of the bytes; null where they aren't UTF-8. */
function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** The file's lines, each null where it isn't UTF-8. A byte order mark before the first is no part of it. */
export async function* readUtf8Lines(file: string): AsyncGenerator<string | null> {
  // A character for each byte: lines are cut at line ends alone, and decoded one by one.
  const lines = createInterface({ input: createReadStream(file, "latin1"), crlfDelay: Infinity });
  let isFirst = true;
  for await (const line of lines) {
    const text = decode(Buffer.from(line, "latin1"));
    yield isFirst ? withoutMark(text) : text;
    isFirst = false;
  }
}

/** The whole file; null where it isn't UTF-8. */
export async function readUtf8(file: string): Promise<string | null> {
  return withoutMark(decode(await readFile(file)));
}

function withoutMark(text: string | null): string | null {
  return text?.startsWith("\uFEFF") ? text.slice(1) : text;
}
