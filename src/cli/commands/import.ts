import { Command } from "commander";
import type { Io } from "../io.js";

export function importCommand(io: Io): Command {
  return new Command("import").action(() => io.err("not yet"));
}
