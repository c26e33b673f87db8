import type { LocomoReport } from "./locomo.js";
import type { Figures } from "./measure.js";
import type { Report } from "./report.js";

/** A name, and its figures in a report. */
type Row = readonly [name: string, of: (report: Report) => Figures | undefined];

/** One row for each category, conversation and part of the ranking; figures with vectors stand beside those without. */
export function tableOf({ vectors, ...words }: LocomoReport): string {
  const reports = vectors === null ? [words] : [words, vectors];
  const line = ([name, of]: Row) => [name.padEnd(16), ...reports.map((one) => cells(of(one)))];
  return [
    ...(vectors === null
      ? []
      : [["".padEnd(16), "by words".padStart(42), "with vectors".padStart(43)]]),
    ["".padEnd(16), ...reports.map(() => HEAD)],
    ...named("category ", words, ({ categories }) => categories).map(line),
    line(["all", ({ all }) => all]),
    [],
    ...named("", words, ({ conversations }) => conversations).map(line),
    [],
    ...named("without ", words, ({ folds }) => folds).map(line),
    line(["cross-validated", ({ crossValidated }) => crossValidated]),
    [],
    ...named("", words, ({ ablations }) => ablations).map(line),
    [],
    line(["adversarial", ({ adversarial }) => adversarial]),
    [],
  ]
    .map((row) => row.join(" ").trimEnd())
    .join("\n");
}

const HEAD = ["questions", ...["r@5", "r@10", "r@25", "MRR"].map(padded)].join(" ");

function named(
  before: string,
  words: Report,
  of: (report: Report) => Readonly<Record<string, Figures>>,
): readonly Row[] {
  return Object.keys(of(words)).map((name) => [before + name, (report) => of(report)[name]]);
}

function cells(figures: Figures | undefined): string {
  if (figures === undefined) return "".padEnd(HEAD.length);
  const { questions, r5, r10, r25, mrr } = figures;
  const shares = [r5, r10, r25, mrr].map((share) => padded(share.toFixed(3)));
  return [String(questions).padStart(9), ...shares].join(" ");
}

function padded(text: string): string {
  return text.padStart(7);
}
