import { type ChildProcess, execFile, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { QUICK_START } from "../setup/quick-start.js";

const MAIN = resolve(import.meta.dirname, "../../dist/cli/main.js");

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line of `dist/` with a home and settings of its own. */
export class MunimentProcess {
  readonly #environment: NodeJS.ProcessEnv;

  constructor(home: string, settings: Readonly<Record<string, string>> = {}) {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(MUNIMENT|XDG)_/.test(name),
    );
    this.#environment = {
      ...Object.fromEntries(inherited),
      HOME: home,
      MUNIMENT_MASTER_KEY_FILE: join(home, "master.key"),
      ...settings,
    };
  }

  /** Runs one command to its end. */
  run(...args: readonly string[]): Promise<Ended> {
    const options = { env: this.#environment, maxBuffer: 64 * 1024 * 1024 };
    return new Promise((done) => {
      execFile(
        process.execPath,
        [...QUICK_START, MAIN, ...args],
        options,
        (error, stdout, stderr) => {
          done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
        },
      );
    });
  }

  /** Starts `serve` on a free port; answers when it serves. */
  async serve(dataDir: string, ...args: readonly string[]): Promise<Served> {
    const all = [
      ...QUICK_START,
      MAIN,
      "serve",
      "--json",
      "--port",
      "0",
      "--data-dir",
      dataDir,
      ...args,
    ];
    const child = spawn(process.execPath, all, {
      env: { MUNIMENT_LOG_LEVEL: "warn", ...this.#environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const ended = new Promise<number | NodeJS.Signals | null>((done) => {
      child.once("close", (code, signal) => done(code ?? signal));
    });
    const before: unknown[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line) as { readonly url?: string; readonly token?: string };
      if (said.url === undefined) {
        before.push(said);
        continue;
      }
      return { child, ended, before, url: said.url, token: said.token ?? "" };
    }
    throw new Error(`serve ended: ${await ended} ${stderr}`);
  }
}

export interface Served {
  readonly child: ChildProcess;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /** What it printed before it served, such as the story. */
  readonly before: readonly unknown[];
  readonly url: string;
  readonly token: string;
}

export function jsonLines(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
