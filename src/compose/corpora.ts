import { openCorpusFolder } from "../adapters/corpus-folder/open-corpus-folder.js";
import type { Settings } from "../config/settings.js";
import { wordsOfPart } from "../recall/analyse.js";
import type { Retrieval } from "../services/retrieval.js";

/** Corpora of a folder, in the spelling in which turns are searched; null where none is configured. */
export async function openCorpora({ corporaDir }: Settings): Promise<Retrieval | null> {
  return corporaDir === undefined ? null : await openCorpusFolder(corporaDir, analyse);
}

/** Words and their pieces, as of no known language: a short question and a long passage come out alike. */
export function analyse(text: string): readonly string[] {
  return wordsOfPart(text, null).flatMap(({ forms, pieces, isFiller }) =>
    isFiller === true ? [] : [...forms, ...pieces],
  );
}
