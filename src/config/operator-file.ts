import { readFileSync } from "node:fs";
import { parse, YAMLParseError } from "yaml";
import { codeOf, MunimentError } from "../domain/errors.js";

/**
 * Reads a JSON or YAML file of the operator's. Throws `invalid_input` with the path, and with line and column where it
 * can't be parsed: the parser's own message quotes the file.
 */
export function readOperatorFile(path: string): unknown {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const problem = problemOf(cause);
    throw new MunimentError("invalid_input", `the file ${path} ${problem}`, { cause });
  }
}

function problemOf(cause: unknown): string {
  if (codeOf(cause) === "ENOENT") return "doesn't exist";
  if (!(cause instanceof YAMLParseError)) return "can't be read as JSON or YAML";
  const [at] = cause.linePos ?? [];
  const where = at === undefined ? "" : ` at line ${at.line}, column ${at.col}`;
  const what = cause.code.toLowerCase().replaceAll("_", " ");
  return `can't be read as JSON or YAML${where} (${what})`;
}
