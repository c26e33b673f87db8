import { openCorpusFolder } from "../adapters/corpus-folder/open-corpus-folder.js";
import type { Settings } from "../config/settings.js";
import { analyseTurn } from "../recall/analyse.js";
import { QUESTION_TERM } from "../recall/terms.js";
import type { Retrieval } from "../services/retrieval.js";

/** Corpora of a folder, in the spelling in which turns are searched; null where none is configured. */
export async function openCorpora({ corporaDir }: Settings): Promise<Retrieval | null> {
  return corporaDir === undefined ? null : await openCorpusFolder(corporaDir, analyse);
}

/** A document has no date and no speaker by which it could be found. */
const NO_DAY = new Date(0);
const MARKS: ReadonlySet<string> = new Set([
  QUESTION_TERM,
  ...analyseTurn({ text: "", speaker: null, observedAt: NO_DAY }).list,
]);

export function analyse(text: string): readonly string[] {
  const { list, counts } = analyseTurn({ text, speaker: null, observedAt: NO_DAY });
  return list.flatMap((term, index) =>
    MARKS.has(term) ? [] : Array.from({ length: counts[index] ?? 0 }, () => term),
  );
}
