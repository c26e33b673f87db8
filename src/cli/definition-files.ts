import { readdirSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { readOperatorFile } from "../config/operator-file.js";
import { unreadableFile } from "../config/unreadable-file.js";
import { MunimentError } from "../domain/errors.js";

/** A route, a field or a dimension as its author wrote it. The service parses it. */
export interface DefinitionFile {
  readonly file: string;
  readonly id: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

const ENDINGS: readonly string[] = [".yaml", ".yml", ".json"];

/** Reads a definition's file, or all of a directory by name. The id is what the file has under `idKey`, else its name. */
export function readDefinitionFiles(
  path: string,
  idKey: "route_id" | "field_id" | "dimension_id",
): readonly DefinitionFile[] {
  const files = isDirectory(path)
    ? readdirSync(path)
        .filter((name) => ENDINGS.includes(extname(name)))
        .sort()
        .map((name) => join(path, name))
    : [path];
  if (files.length === 0) {
    throw new MunimentError(
      "invalid_input",
      `${path} has no file that ends in ${ENDINGS.join(", ")}`,
      { nextStep: "name a file, or another directory" },
    );
  }
  return files.map((file) => readDefinitionFile(file, idKey));
}

function readDefinitionFile(file: string, idKey: string): DefinitionFile {
  const read = readOperatorFile(file);
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    throw new MunimentError("invalid_input", `${file} isn't one definition`, {
      nextStep: "write one definition a file, as keys and values",
    });
  }
  const definition = { ...read } as Readonly<Record<string, unknown>>;
  const named = definition[idKey];
  const id = typeof named === "string" ? named : basename(file, extname(file));
  return { file, id, definition };
}

/** Sends one file's definition. A refusal names the file: of a directory one can't tell otherwise. */
export async function applyDefinition<Reply>(
  { file, definition }: DefinitionFile,
  why: string | undefined,
  send: (body: object) => Promise<Reply>,
): Promise<Reply> {
  const reason = why ?? definition.reason ?? `apply ${basename(file)}`;
  try {
    return await send({ ...definition, reason });
  } catch (error) {
    if (!(error instanceof MunimentError)) throw error;
    const { kind, message, field, nextStep, cause } = error;
    throw new MunimentError(kind, `${file}: ${message}`, {
      ...(field && { field }),
      ...(nextStep && { nextStep }),
      cause,
    });
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
}
