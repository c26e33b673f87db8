import { readFileSync } from "node:fs";
import { parse, YAMLParseError } from "yaml";
import { codeOf, MunimentError } from "../domain/errors.js";
import { unreadableFile } from "./unreadable-file.js";

/**
 * Reads a JSON or YAML file of the operator's. Throws `invalid_input` with the path, and with line and column where it
 * can't be parsed: the parser's own message quotes the file.
 */
export function readOperatorFile(path: string): unknown {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (cause) {
    if (codeOf(cause) !== null && !(cause instanceof YAMLParseError))
      throw unreadableFile(path, cause);
    throw new MunimentError("invalid_input", `the file ${path} ${problemOf(cause)}`, {
      nextStep: "correct the file and try again",
      cause,
    });
  }
}

function problemOf(cause: unknown): string {
  if (!(cause instanceof YAMLParseError)) return "can't be read as JSON or YAML";
  const [at] = cause.linePos ?? [];
  const where = at === undefined ? "" : ` at line ${at.line}, column ${at.col}`;
  const what = cause.code.toLowerCase().replaceAll("_", " ");
  return `can't be read as JSON or YAML${where} (${what})`;
}
