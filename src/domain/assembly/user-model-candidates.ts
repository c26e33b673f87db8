import { must } from "../errors.js";
import type { ObservationId } from "../ids.js";
import { LIMITS } from "../limits.js";
import type { ModelSection, ModelStatement } from "../user-model.js";
import type { DerivedCandidate } from "./candidate.js";
import { minute } from "./line.js";
import { mostTelling } from "./most-telling.js";
import { oneLine } from "./one-line.js";

/** A sentence, as of the newest observation that it rests on. */
interface Told {
  readonly section: ModelSection;
  readonly statement: ModelStatement;
  readonly at: Date;
}

/** When each observation that a model cites was said. */
export type ObservedAt = ReadonlyMap<ObservationId, Date>;

/**
 * A person's model for a pack, each sentence with the time of what it rests on: which of two that disagree is the later one
 * can be read there. Each sentence about safety is an item of its own, as many as there is room for, what says most beside the
 * others first; the rest of a section is one block, newest first. What there is no room for is left out by name.
 */
export function userModelCandidates(
  sections: readonly ModelSection[],
  observedAt: ObservedAt,
): readonly DerivedCandidate[] {
  const all = sections.flatMap((section) =>
    section.statements.map((statement) => toldIn(section, statement, observedAt)),
  );
  const safety = all.filter(({ statement }) => statement.is_safety);
  const shown = withRoom(safety);
  const label = ["shown", `${shown.size} of ${safety.length} about safety`] as const;
  const about = ["about", "safety"] as const;
  const labels = shown.size < safety.length ? [about, label] : [about];
  const surplus = safety.filter((told) => !shown.has(told));
  return [
    ...[...shown, ...surplus].map(
      (told): DerivedCandidate => ({
        ...candidateOf(told.section, [told], labels),
        rank: shown.has(told) ? "safety" : "surplus",
      }),
    ),
    ...sections.flatMap((section) => {
      const own = all.filter((told) => told.section === section && !told.statement.is_safety);
      const newestFirst = own.toSorted((a, b) => b.at.getTime() - a.at.getTime());
      return own.length === 0 ? [] : [candidateOf(section, newestFirst, [])];
    }),
  ];
}

function toldIn(section: ModelSection, statement: ModelStatement, observedAt: ObservedAt): Told {
  const times = statement.observation_ids.map((id) => must(observedAt.get(id), "observation"));
  return { section, statement, at: newestOf(times) };
}

function candidateOf(
  { route_id, dimension, trajectory }: ModelSection,
  told: readonly Told[],
  labels: DerivedCandidate["labels"],
): DerivedCandidate {
  return {
    kind: "user_model",
    name: dimension,
    sources: [...new Set(told.flatMap(({ statement }) => statement.observation_ids))],
    text: told.map(({ statement, at }) => `- ${minute(at)}: ${oneLine(statement.text)}`).join("\n"),
    confidence: "derived",
    labels: [["route", route_id], ["trajectory", trajectory], ...labels],
    at: newestOf(told.map(({ at }) => at)),
  };
}

function newestOf(times: readonly Date[]): Date {
  return new Date(Math.max(...times.map((time) => time.getTime())));
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
