/** Where a command line writes. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
  /** Shows how far a command is, in one line that each call rewrites; null takes it away. Only where a person looks on. */
  readonly progress?: (line: string | null) => void;
}

/**
 * What a command writes with. What was asked for goes to `out`; progress and problems go to `err`. People see both in
 * lines that fit their terminal.
 */
export interface Io extends Output {
  /** What others read as it is, such as a pack or an archive. */
  verbatim(text: string): void;
}

const ERASE_LINE = "\r\u001b[2K";

export const PROCESS_OUTPUT: Output = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  ...(process.stderr.isTTY && {
    progress: (line: string | null) => void process.stderr.write(`${ERASE_LINE}${line ?? ""}`),
  }),
};
