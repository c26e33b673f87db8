import { CommanderError } from "commander";
import { showsStacks } from "../compose/shows-stacks.js";
import { EXIT, Exit, failureOf, UsageError } from "./failure.js";
import { forMachines, forPeople } from "./for-people.js";
import type { Io, Output } from "./io.js";
import { createProgram } from "./program.js";
import { plain } from "./table.js";

/** Runs one command line. Answers its exit code; never throws. */
export async function runCli(args: readonly string[], output: Output): Promise<number> {
  const isJson = args.includes("--json");
  const io = isJson ? forMachines(output) : forPeople(output);
  const complain = isJson ? () => undefined : io.err;
  try {
    await createProgram(io, complain).parseAsync([...args], { from: "user" });
    return EXIT.ok;
  } catch (error) {
    return end(error, isJson, io);
  }
}

function end(error: unknown, isJson: boolean, io: Io): number {
  if (error instanceof Exit) return error.code;
  if (error instanceof CommanderError) {
    // Help and version end this way too. To people commander has said it already.
    if (error.exitCode === 0) return EXIT.ok;
    if (isJson) io.err(JSON.stringify({ error: usageFailure(error.message) }));
    return EXIT.usage;
  }
  if (error instanceof UsageError) {
    io.err(
      isJson ? JSON.stringify({ error: usageFailure(error.message) }) : `error: ${error.message}`,
    );
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

/** `usage` is no kind of the service: the request was never made. */
function usageFailure(message: string) {
  const said = message === "(outputHelp)" ? "a command is missing" : message;
  return {
    kind: "usage",
    message: said.replace(/^error: /, ""),
    next_step: "muniment --help lists the commands, and after a command its options",
  };
}

function stackOf(error: Error): string {
  const stack = error.stack ?? error.message;
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackOf(error.cause)}` : stack;
}
