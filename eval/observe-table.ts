import type { ObserveColumn, ObserveFigures, ObserveReport } from "./observe.js";
import type { ScriptedTold } from "./scripted-model.js";

/** A line for each conversation and all of them, without a model and, where there is one, with it. */
export function observeTableOf({ quotes, model, scripted }: ObserveReport): string {
  const columns: readonly (readonly [string, ObserveColumn | null])[] = [
    ["by quotes", quotes],
    [scripted === null ? "by the model" : "scripted model", model],
  ];
  const sections = columns.flatMap(([name, column]) =>
    column === null ? [] : [...sectionOf(name, column), ""],
  );
  return [...sections, ...(scripted === null ? [] : noteOf(scripted))].join("\n");
}

function noteOf({ right, invented, misplaced, repeated }: ScriptedTold): readonly string[] {
  return [
    "The scripted model is a rule that errs on purpose: what is kept of it shows the path, not what a model would find.",
    `It told ${right} rightly, ${invented} with an invented quote, ${misplaced} of another turn, ${repeated} twice.`,
    "",
  ];
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
