import { runCli } from "../../src/cli/run-cli.js";

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command in this process. Cells wrap: what a person reads of a table is one text. */
export async function runHere(...args: readonly string[]): Promise<Said> {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
  };
  const code = await runCli(args, io);
  const text = (lines: readonly string[]) => lines.join("\n").replace(/[\s─]+/g, " ");
  return { code, out: text(out), err: text(err) };
}
