import { LIMITS } from "../limits.js";
import type { ModelSection, ModelStatement } from "../user-model.js";
import type { DerivedCandidate } from "./candidate.js";
import { mostTelling } from "./most-telling.js";
import { oneLine } from "./one-line.js";

interface Told {
  readonly section: ModelSection;
  readonly statement: ModelStatement;
}

/**
 * A person's model for a pack. Each sentence about safety is an item of its own, as many as there is room for, what says most
 * beside the others first; the rest of a section is one block. What there is no room for is left out by name.
 */
export function modelCandidates(
  sections: readonly ModelSection[],
  computedAt: Date,
): readonly DerivedCandidate[] {
  const safety = sections.flatMap((section) =>
    section.statements
      .filter(({ is_safety }) => is_safety)
      .map((statement): Told => ({ section, statement })),
  );
  const shown = withRoom(safety);
  const label = ["shown", `${shown.size} of ${safety.length} about safety`] as const;
  const labels = shown.size < safety.length ? [label] : [];
  const surplus = safety.filter((told) => !shown.has(told));
  return [
    ...[...shown, ...surplus].map(
      (told): DerivedCandidate => ({
        ...candidateOf(told.section, [told.statement], labels, computedAt),
        rank: shown.has(told) ? "safety" : "surplus",
      }),
    ),
    ...sections.flatMap((section) => {
      const statements = section.statements.filter(({ is_safety }) => !is_safety);
      return statements.length === 0 ? [] : [candidateOf(section, statements, [], computedAt)];
    }),
  ];
}

function candidateOf(
  { route_id, dimension, trajectory }: ModelSection,
  statements: readonly ModelStatement[],
  labels: DerivedCandidate["labels"],
  at: Date,
): DerivedCandidate {
  return {
    kind: "user_model",
    name: dimension,
    sources: [...new Set(statements.flatMap((it) => it.observation_ids))],
    text: statements.map(({ text }) => `- ${oneLine(text)}`).join("\n"),
    confidence: "derived",
    labels: [["route", route_id], ["trajectory", trajectory], ...labels],
    at,
  };
}

/** Long ones don't keep short ones out. */
function withRoom(safety: readonly Told[]): ReadonlySet<Told> {
  let chars = 0;
  const ranked = mostTelling(safety, ({ statement }) => statement.text, LIMITS.packSafetyItemsMax);
  return new Set(
    ranked.filter(({ statement: { text } }) => {
      const fits = chars + text.length <= LIMITS.packSafetyCharsMax;
      if (fits) chars += text.length;
      return fits;
    }),
  );
}
