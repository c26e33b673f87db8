import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { MunimentError } from "../domain/errors.js";

/** Reads a JSON or YAML file of the operator's. Throws `invalid_input` with the path. */
export function readOperatorFile(path: string): unknown {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new MunimentError("invalid_input", `the file ${path} can't be read as JSON or YAML`, {
      cause,
    });
  }
}
