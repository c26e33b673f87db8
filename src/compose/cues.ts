import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOperatorFile } from "../config/operator-file.js";
import type { Settings } from "../config/settings.js";
import { parseCueLanguage, parseCues } from "../domain/cue-rules.js";
import { type Cues, createCues, type LanguageCues } from "../domain/cues.js";
import { MunimentError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import { languageOfText } from "../recall/analyse.js";

/** The package's own `cues/`, seen alike from `src/` and `dist/`. */
const CUE_DIRECTORY = fileURLToPath(new URL("../../cues/", import.meta.url));
const ENDING = ".yaml";

/** The shipped cues and those of the operator's folder, which stand instead of shipped ones of their language. */
export function openCues({ cuesDir }: Partial<Pick<Settings, "cuesDir">>): Cues {
  const files = [...filesOf(CUE_DIRECTORY), ...(cuesDir === undefined ? [] : filesOf(cuesDir))];
  const byLanguage = new Map(files.map((file) => [file.language, file]));
  const languages = [...byLanguage.values()].toSorted((a, b) => (a.language < b.language ? -1 : 1));
  return createCues(languages, languageOfText);
}

function filesOf(directory: string): readonly LanguageCues[] {
  const names = namesIn(directory);
  if (names.length > LIMITS.cueFilesMax)
    throw refused(
      directory,
      `has more than ${LIMITS.cueFilesMax} files: one a language is all that is read`,
    );
  return names.map((name) => {
    const path = join(directory, name);
    const value = readOperatorFile(path);
    try {
      return parseCues(value, parseCueLanguage(basename(name, ENDING)));
    } catch (cause) {
      throw cause instanceof MunimentError ? refused(path, cause.message, cause) : cause;
    }
  });
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(ENDING))
      .sort();
  } catch (cause) {
    throw refused(directory, "can't be read as a folder", cause);
  }
}

/** Whoever wrote the file has to find the place. */
function refused(path: string, message: string, cause?: unknown): MunimentError {
  return new MunimentError("invalid_input", `cues ${path}: ${message}`, { cause });
}
