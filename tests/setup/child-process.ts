import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import ts from "typescript";
import { QUICK_START } from "./quick-start.js";

const ROOT = resolve(import.meta.dirname, "../..");
const MIGRATIONS = "src/storage/migrations";

/** Sources that `entry` reaches by relative imports, by path below the root. */
function reach(entry: string, found = new Map<string, string>()): ReadonlyMap<string, string> {
  const path = relative(ROOT, entry);
  if (found.has(path)) return found;
  const text = readFileSync(entry, "utf8");
  found.set(path, text);
  for (const { fileName } of ts.preProcessFile(text).importedFiles) {
    if (fileName.startsWith("."))
      reach(resolve(dirname(entry), fileName.replace(/\.js$/, ".ts")), found);
  }
  return found;
}

/**
 * Compiles a TypeScript file and what it imports for plain node, below `.cache`. A suite that kills a process in
 * mid-write runs it from here, without waiting for a build.
 */
function compileForNode(entry: string): string {
  const sources = reach(entry);
  const hash = createHash("sha256");
  for (const [path, text] of sources) hash.update(`${path}\0${text}\0`);
  const out = join(ROOT, ".cache/children", hash.digest("hex").slice(0, 16));
  const target = join(out, relative(ROOT, entry).replace(/\.ts$/, ".js"));
  if (existsSync(target)) return target;
  const unfinished = `${out}.${process.pid}`;
  for (const [path, text] of sources) {
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2022,
        verbatimModuleSyntax: true,
      },
    });
    const file = join(unfinished, path.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, outputText);
  }
  cpSync(join(ROOT, MIGRATIONS), join(unfinished, MIGRATIONS), { recursive: true });
  try {
    renameSync(unfinished, out);
  } catch {
    // Another worker was faster with the same text.
    rmSync(unfinished, { recursive: true, force: true });
  }
  return target;
}

export interface Child {
  readonly process: ChildProcess;
  /** The next line that it prints. Rejects with what it said on stderr where it ends first. */
  nextLine(): Promise<string>;
  /** Its exit code, or the signal that ended it. */
  readonly exit: Promise<number | NodeJS.Signals | null>;
}

/** Runs a TypeScript file of the tests in a process of its own, with these arguments. */
export function runChild(entry: string, parameters: readonly string[] = []): Child {
  const child = spawn(process.execPath, [...QUICK_START, compileForNode(entry), ...parameters], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let problems = "";
  child.stderr.on("data", (chunk: Buffer) => {
    problems += chunk.toString();
  });
  const exit = new Promise<number | NodeJS.Signals | null>((done) => {
    child.once("close", (code, signal) => done(code ?? signal));
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    exit,
    async nextLine() {
      const line = await lines.next();
      if (line.done) throw new Error(`the child process ended: ${await exit} ${problems}`);
      return line.value;
    },
  };
}
