#!/usr/bin/env node
import { PROCESS_OUTPUT } from "./io.js";
import { runCli } from "./run-cli.js";

// A reader that has seen enough, such as `head`, closes the pipe: nothing is left to say, and nothing went wrong.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

process.exitCode = await runCli(process.argv.slice(2), PROCESS_OUTPUT);
