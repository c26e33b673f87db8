/**
 * What a script has to tell goes to stderr: stdout belongs to the program that it runs.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`${line}\n`);
}
