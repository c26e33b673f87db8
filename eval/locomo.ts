import { readFile } from "node:fs/promises";
import { parseLocomo } from "./locomo-file.js";
import type { Answered, Report } from "./measure.js";
import { DEPTH, measure } from "./measure.js";
import { recallInMuniment } from "./recaller.js";

/** Asks every question of the file and measures which of its evidence turns came back. `tell` hears of progress. */
export async function runLocomo(file: string, tell: (line: string) => void): Promise<Report> {
  const samples = parseLocomo(await readFile(file, "utf8"));
  const recaller = await recallInMuniment(samples, tell);
  const answers: Answered[] = [];
  try {
    for (const sample of samples) {
      for (const { text, category, evidence } of sample.questions) {
        answers.push({ category, evidence, found: await recaller.ask(sample.id, text, DEPTH) });
      }
      tell(
        `${sample.id}: ${sample.turns.length} turns, ${sample.questions.length} questions asked`,
      );
    }
  } finally {
    await recaller.close();
  }
  return measure(answers);
}
