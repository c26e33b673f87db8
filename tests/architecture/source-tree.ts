import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import ts from "typescript";

export interface SourceFile {
  /** Path below `src/`, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface Edge {
  readonly from: string;
  /** Path below `src/` (with the `.ts` ending) where local, else the name of the package. */
  readonly to: string;
  readonly local: boolean;
}

export interface SourceTree {
  readonly files: readonly SourceFile[];
  readonly edges: readonly Edge[];
}

/** Suites that drivers share stand beside the drivers, and count as tests. */
export function isTest(path: string): boolean {
  return /(\.test|[/-]conformance)\.ts$/.test(path);
}

/** Makes the import graph of texts by path. Tests are left out: they may reach anywhere. */
export function sourceTreeOf(texts: Readonly<Record<string, string>>): SourceTree {
  const files = Object.entries(texts)
    .filter(([path]) => !isTest(path))
    .map(([path, text]) => ({ path, text }));
  return { files, edges: files.flatMap(edgesOf) };
}

export function readSourceTree(root: string): SourceTree {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(".ts"))
    .sort();
  return sourceTreeOf(
    Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), "utf8")])),
  );
}

function edgesOf({ path, text }: SourceFile): readonly Edge[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => {
    const local = fileName.startsWith(".");
    const target = normalize(join(dirname(path), fileName))
      .split(sep)
      .join("/");
    return { from: path, to: local ? target.replace(/\.js$/, ".ts") : fileName, local };
  });
}
