import { type Command, CommanderError } from "commander";
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
  const program = createProgram(io, complain);
  try {
    await program.parseAsync([...args], { from: "user" });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    if (error instanceof CommanderError || error instanceof UsageError) {
      endUsage(error, { help: helpOf(program, args), isJson, io });
      return EXIT.usage;
    }
    return end(error, isJson, io);
  }
}

/** The command line that shows how the one that was meant is written. */
function helpOf(program: Command, args: readonly string[]): string {
  const words: string[] = [];
  let at: Command | undefined = program;
  for (const word of args) {
    at = at.commands.find((command) => command.name() === word);
    if (at === undefined) break;
    words.push(word);
  }
  return ["muniment", ...words, "--help"].join(" ");
}

interface Usage {
  readonly help: string;
  readonly isJson: boolean;
  readonly io: Io;
}

/** `usage` is no kind of the service: the request was never made. */
function endUsage(error: CommanderError | UsageError, { help, isJson, io }: Usage): void {
  const isHelpShown = error.message === "(outputHelp)";
  const message = (isHelpShown ? "a command is missing" : error.message).replace(/^error: /, "");
  const next_step = `${help} shows how it is written`;
  if (isJson) {
    io.err(JSON.stringify({ error: { kind: "usage", message, next_step } }));
    return;
  }
  // What commander finds it has said already.
  if (error instanceof UsageError) io.err(`error: ${message}`);
  if (!isHelpShown) io.err(`next: ${next_step}`);
}

function end(error: unknown, isJson: boolean, io: Io): number {
  if (error instanceof Exit) return error.code;
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
