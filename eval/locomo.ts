import { readFile } from "node:fs/promises";
import { parseLocomo } from "./locomo-file.js";
import { recallInMuniment } from "./recaller.js";
import { type Report, report } from "./report.js";
import type { Explained } from "./reweigh.js";

/** Hits of a question: more than are measured, for the ablations. */
const HITS = 50;

/** Asks every question of the file and measures which of its evidence turns came back. `tell` hears of progress. */
export async function runLocomo(file: string, tell: (line: string) => void): Promise<Report> {
  const samples = parseLocomo(await readFile(file, "utf8"));
  const recaller = await recallInMuniment(samples, tell);
  const answers: Explained[] = [];
  try {
    for (const { id, turns, questions } of samples) {
      for (const { text, category, evidence } of questions) {
        answers.push({ sample: id, category, evidence, hits: await recaller.ask(id, text, HITS) });
      }
      tell(`${id}: ${turns.length} turns, ${questions.length} questions asked`);
    }
  } finally {
    await recaller.close();
  }
  return report(answers);
}
