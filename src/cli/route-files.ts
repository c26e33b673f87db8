import { readdirSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { readOperatorFile } from "../config/settings.js";
import { MunimentError } from "../domain/errors.js";

/** A route as its author wrote it. The service parses it. */
export interface RouteFile {
  readonly file: string;
  readonly routeId: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

const ENDINGS: readonly string[] = [".yaml", ".yml", ".json"];

/** Reads a route's file, or all of a directory by name. The id is the file's `route_id`, else its name. */
export function readRouteFiles(path: string): readonly RouteFile[] {
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
    );
  }
  return files.map(readRouteFile);
}

function readRouteFile(file: string): RouteFile {
  const read = readOperatorFile(file);
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    throw new MunimentError("invalid_input", `${file} isn't one route`);
  }
  const definition = { ...read } as Readonly<Record<string, unknown>>;
  const named = definition.route_id;
  const routeId = typeof named === "string" ? named : basename(file, extname(file));
  return { file, routeId, definition };
}

function isDirectory(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new MunimentError("invalid_input", `${path} doesn't exist`);
  return found.isDirectory();
}
