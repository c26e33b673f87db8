import { readFile } from "node:fs/promises";
import { type Library, withLibrary } from "./library.js";
import { type LocomoSample, parseLocomo } from "./locomo-file.js";
import { type Report, report } from "./report.js";
import type { Explained } from "./reweigh.js";

/** Hits of a question: more than are measured, for the ablations. */
const HITS = 50;

export interface LocomoReport extends Report {
  /** The same questions with the optional English model; null where they weren't asked with it. */
  readonly vectors: Report | null;
}

/** Asks every question of the file and measures which of its evidence turns came back. `tell` hears of progress. */
export async function runLocomo(
  file: string,
  vectors: boolean,
  tell: (line: string) => void,
): Promise<LocomoReport> {
  const samples = parseLocomo(await readFile(file, "utf8"));
  return await withLibrary(async (library) => {
    await library.take(samples, tell);
    const words = report(await askAll(library, false, samples, tell));
    if (!vectors) return { ...words, vectors: null };
    const turns = await library.embed();
    tell(`${turns} turns embedded`);
    return { ...words, vectors: report(await askAll(library, true, samples, tell)) };
  });
}

async function askAll(
  library: Library,
  vectors: boolean,
  samples: readonly LocomoSample[],
  tell: (line: string) => void,
): Promise<readonly Explained[]> {
  return await library.asking(vectors, async (ask) => {
    const answers: Explained[] = [];
    for (const { id, turns, questions } of samples) {
      for (const { text, category, evidence } of questions)
        answers.push({ sample: id, category, evidence, hits: await ask(id, text, HITS) });
      tell(`${id}: ${turns.length} turns, ${questions.length} questions asked`);
    }
    return answers;
  });
}
