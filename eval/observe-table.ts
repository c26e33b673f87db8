import type { ObserveColumn, ObserveFigures, ObserveReport } from "./observe.js";

/** A line for each conversation and all of them, without a model and, where there is one, with it. */
export function observeTableOf({ quotes, model }: ObserveReport): string {
  const columns: readonly (readonly [string, ObserveColumn | null])[] = [
    ["by quotes", quotes],
    ["by the model", model],
  ];
  return columns
    .flatMap(([name, column]) => (column === null ? [] : [...sectionOf(name, column), ""]))
    .join("\n");
}

const HEAD = [
  "observations".padStart(12),
  ...["quoted", "repeated", "turns r@10", "both r@10", "turns MRR", "both MRR"].map(padded),
];

function sectionOf(name: string, { all, conversations }: ObserveColumn): readonly string[] {
  const line = (title: string, figures: ObserveFigures) =>
    [title.padEnd(16), ...cells(figures)].join(" ");
  return [
    [name.padEnd(16), ...HEAD].join(" "),
    ...Object.entries(conversations).map(([title, figures]) => line(title, figures)),
    line("all", all),
  ];
}

function cells({ observations, quoted, repeated, turns, both }: ObserveFigures): readonly string[] {
  return [
    String(observations).padStart(12),
    padded(quoted.toFixed(3)),
    padded(String(repeated)),
    ...[turns.r10, both.r10, turns.mrr, both.mrr].map((share) => padded(share.toFixed(3))),
  ];
}

function padded(text: string): string {
  return text.padStart(10);
}
