import { codeOf, MunimentError } from "../domain/errors.js";

const PROBLEMS: Readonly<Record<string, readonly [problem: string, nextStep: string]>> = {
  ENOENT: ["doesn't exist", "check the path"],
  ENOTDIR: ["doesn't exist", "check the path"],
  EISDIR: ["isn't a file", "name one file"],
  EACCES: ["may not be read", "check whose file it is"],
  EPERM: ["may not be read", "check whose file it is"],
};

/** Why a file that somebody named can't be read, by what the system said. */
export function unreadableFile(file: string, cause?: unknown): MunimentError {
  const [problem, nextStep] = PROBLEMS[codeOf(cause) ?? ""] ?? ["can't be read", "check the path"];
  return new MunimentError("invalid_input", `${file} ${problem}`, { nextStep, cause });
}

/** One that is there, and is no file. */
export function notAFile(file: string): MunimentError {
  return new MunimentError("invalid_input", `${file} isn't a file`, { nextStep: "name one file" });
}
