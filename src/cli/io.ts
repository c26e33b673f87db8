/** Where a command writes. What was asked for goes to `out`; progress and problems go to `err`. */
export interface Io {
  out(line: string): void;
  err(line: string): void;
}

export const PROCESS_IO: Io = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
};
