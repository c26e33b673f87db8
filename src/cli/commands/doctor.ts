import { Command } from "commander";
import type { Io } from "../io.js";

export function doctorCommand(io: Io): Command {
  return new Command("doctor").action(() => io.err("not yet"));
}
