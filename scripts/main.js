import { say } from "./say.js";

/**
 * Runs a script's body. Its exit code is what the body gives; an error is one line, not a stack.
 * @param {() => Promise<number>} body
 */
export async function main(body) {
  try {
    process.exitCode = await body();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
