import { ADVERSARIAL } from "./locomo-file.js";
import { type Figures, measure, measureBy } from "./measure.js";
import { ABLATIONS, asRanked, type Explained, holdOut, reweigh } from "./reweigh.js";

/** Rows of the report. Adversarial questions stand in their own row alone. */
export interface Report {
  readonly questions: number;
  readonly all: Figures;
  readonly categories: Readonly<Record<string, Figures>>;
  readonly conversations: Readonly<Record<string, Figures>>;
  /** Of each conversation, by weights that were chosen on the others. */
  readonly folds: Readonly<Record<string, Figures>>;
  readonly crossValidated: Figures;
  readonly ablations: Readonly<Record<string, Figures>>;
  /** Questions whose answer isn't there: their evidence only looks like it. */
  readonly adversarial: Figures;
}

export function report(answers: readonly Explained[]): Report {
  const plain = answers.filter(({ category }) => category !== ADVERSARIAL);
  const found = asRanked(plain);
  const held = holdOut(plain);
  const ablations = Object.entries(ABLATIONS).map(
    ([name, weights]) => [name, measure(reweigh(plain, weights))] as const,
  );
  return {
    questions: found.length,
    all: measure(found),
    categories: measureBy(found, ({ category }) => String(category)),
    conversations: measureBy(found, ({ sample }) => sample),
    folds: measureBy(held, ({ sample }) => sample),
    crossValidated: measure(held),
    ablations: Object.fromEntries(ablations),
    adversarial: measure(asRanked(answers.filter(({ category }) => category === ADVERSARIAL))),
  };
}
