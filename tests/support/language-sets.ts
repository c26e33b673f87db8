import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

export interface LanguageSet {
  readonly language: string;
  /** What was said, and a question that it answers in other words and inflections. */
  readonly pairs: readonly (readonly [said: string, question: string])[];
}

const DIRECTORY = join(import.meta.dirname, "../../eval/multilingual");

/** The project's own sets: sentences of a bank, a clinic and a help desk in ten languages. */
export const LANGUAGE_SETS: readonly LanguageSet[] = readdirSync(DIRECTORY)
  .filter((file) => file.endsWith(".json"))
  .map((file) => ({
    language: basename(file, ".json"),
    pairs: JSON.parse(readFileSync(join(DIRECTORY, file), "utf8")) as LanguageSet["pairs"],
  }));

/** Share of the pairs whose item is among the first three that its question found. */
export function shareInThree(
  { pairs }: LanguageSet,
  found: readonly (readonly string[])[],
): number {
  const hits = pairs.filter(([said], at) => found[at]?.slice(0, 3).includes(said));
  return hits.length / pairs.length;
}
