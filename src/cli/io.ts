/** Where a command writes. What was asked for goes to `out`; progress and problems go to `err`. */
export interface Io {
  out(line: string): void;
  err(line: string): void;
  /** Shows how far a command is, in one line that each call rewrites; null takes it away. Only where a person looks on. */
  readonly progress?: (line: string | null) => void;
}

const ERASE_LINE = "\r\u001b[2K";

export const PROCESS_IO: Io = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  ...(process.stderr.isTTY && {
    progress: (line: string | null) => void process.stderr.write(`${ERASE_LINE}${line ?? ""}`),
  }),
};
