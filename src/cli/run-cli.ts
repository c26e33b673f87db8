import { CommanderError } from "commander";
import { showsStacks } from "../compose/log-level.js";
import { EXIT, Exit, failureOf, UsageError } from "./failure.js";
import type { Io } from "./io.js";
import { createProgram } from "./program.js";
import { plain } from "./table.js";

/** Runs one command line. Answers its exit code; never throws. */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync([...args], { from: "user" });
    return EXIT.ok;
  } catch (error) {
    return end(error, args.includes("--json"), io);
  }
}

function end(error: unknown, isJson: boolean, io: Io): number {
  if (error instanceof Exit) return error.code;
  // Commander has said it already; help and version end this way too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof UsageError) {
    io.err(`error: ${error.message}`);
    return EXIT.usage;
  }
  const failure = failureOf(error);
  if (isJson) {
    io.err(JSON.stringify({ error: failure }));
  } else {
    io.err(`error: ${plain(failure.message)}`);
    io.err(`next: ${failure.next_step}`);
  }
  if (showsStacks() && error instanceof Error) io.err(stackOf(error));
  return EXIT.failed;
}

function stackOf(error: Error): string {
  const stack = error.stack ?? error.message;
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackOf(error.cause)}` : stack;
}
