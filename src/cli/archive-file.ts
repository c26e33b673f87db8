import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { unreadableFile } from "../config/unreadable-file.js";
import { MunimentError } from "../domain/errors.js";

/** Personal data: for the eyes of who wrote it. */
const MODE = 0o600;
const LINES_A_WRITE = 500;

/**
 * Writes lines into a new file that nobody else may read. Under its own name it stands once it is whole: one that was broken
 * off isn't taken for an archive.
 */
export async function writeLines(file: string, lines: AsyncIterable<string>): Promise<number> {
  const unfinished = `${file}.unfinished`;
  await refuseTaken(file);
  const handle = await open(unfinished, "w", MODE).catch((cause: unknown) => {
    throw new MunimentError("invalid_input", `${file} can't be written`, {
      nextStep: "name a file in a directory that is there and yours",
      cause,
    });
  });
  let count = 0;
  try {
    await handle.chmod(MODE);
    let waiting: string[] = [];
    const flush = async () => {
      await handle.appendFile(waiting.map((line) => `${line}\n`).join(""));
      waiting = [];
    };
    for await (const line of lines) {
      count += 1;
      if (waiting.push(line) === LINES_A_WRITE) await flush();
    }
    await flush();
    await handle.sync();
  } catch (error) {
    await handle.close();
    await rm(unfinished, { force: true });
    throw error;
  }
  await handle.close();
  await rename(unfinished, file);
  return count;
}

async function refuseTaken(file: string): Promise<void> {
  const taken = await open(file, "r").catch(() => null);
  if (taken === null) return;
  await taken.close();
  throw new MunimentError("invalid_input", `${file} is there already`, {
    nextStep: "name a new file",
  });
}

/** Lines of a file, however many there are. */
export async function* readLines(file: string): AsyncGenerator<string, void, undefined> {
  const input = createReadStream(file, "utf8");
  const opened = new Promise<void>((done, fail) => {
    input.once("open", () => done());
    input.once("error", fail);
  });
  await opened.catch((cause: unknown) => {
    throw unreadableFile(file, cause);
  });
  yield* createInterface({ input, crlfDelay: Infinity });
}
