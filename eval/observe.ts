import { readFile } from "node:fs/promises";
import { ADVERSARIAL, type LocomoSample, parseLocomo } from "./locomo-file.js";
import { type Answered, type Figures, measure } from "./measure.js";
import { isQuoted, type Kept, repeated } from "./observed.js";
import { type ModelPlace, withPeople } from "./people.js";
import { type ScriptedTold, withScriptedModel } from "./scripted-model.js";

/** Turns that are looked at for each question. */
const HITS = 25;

/** What was observed in conversations, and what it adds to finding their evidence. */
export interface ObserveFigures {
  readonly observations: number;
  /** Share of the observations that quote what a turn that they cite says. The goal is 1. */
  readonly quoted: number;
  /** Observations that say again what another one of the same person says. The goal is 0. */
  readonly repeated: number;
  readonly turns: Figures;
  /** Turns and observations as one list, each observation by the turns that it cites. */
  readonly both: Figures;
}

export interface ObserveColumn {
  readonly all: ObserveFigures;
  readonly conversations: Readonly<Record<string, ObserveFigures>>;
}

export interface ObserveReport {
  /** By quotes, without a model. */
  readonly quotes: ObserveColumn;
  /** By a model; null where none was named. */
  readonly model: ObserveColumn | null;
  /** What the model told, where it was a scripted one: its figures are no measure of a real model. */
  readonly scripted: ScriptedTold | null;
}

type Tell = (line: string) => void;

/** Observes every conversation of the file as each of its people, then asks its questions of turns, and of both. */
export async function runObserve(
  file: string,
  model: ModelPlace | "scripted" | null,
  tell: Tell,
): Promise<ObserveReport> {
  const samples = parseLocomo(await readFile(file, "utf8"));
  const quotes = await observeAll(samples, null, tell);
  if (model === null) return { quotes, model, scripted: null };
  if (model !== "scripted")
    return { quotes, model: await observeAll(samples, model, tell), scripted: null };
  const { result, told } = await withScriptedModel((place) => observeAll(samples, place, tell));
  return { quotes, model: result, scripted: told };
}

interface Observed {
  readonly sample: string;
  readonly kept: readonly Kept[];
  readonly turns: readonly Answered[];
  readonly both: readonly Answered[];
}

async function observeAll(
  samples: readonly LocomoSample[],
  model: ModelPlace | null,
  tell: Tell,
): Promise<ObserveColumn> {
  const observed: Observed[] = [];
  await withPeople(model, async (people) => {
    for (const sample of samples) {
      const kept = await people.take(sample);
      const answers = { turns: [] as Answered[], both: [] as Answered[] };
      const questions = sample.questions.filter(({ category }) => category !== ADVERSARIAL);
      for (const { text, category, evidence } of questions) {
        const asked = { sample: sample.id, category, evidence };
        for (const scope of ["turns", "both"] as const)
          answers[scope].push({ ...asked, found: await people.ask(sample, text, scope, HITS) });
      }
      observed.push({ sample: sample.id, kept, ...answers });
      tell(`${sample.id}: ${sumOf(kept)} observations, ${questions.length} questions asked twice`);
    }
  });
  return {
    all: figuresOf(observed),
    conversations: Object.fromEntries(observed.map((one) => [one.sample, figuresOf([one])])),
  };
}

function sumOf(kept: readonly Kept[]): number {
  return kept.reduce((sum, { observations }) => sum + observations.length, 0);
}

function figuresOf(observed: readonly Observed[]): ObserveFigures {
  const kept = observed.flatMap((one) => one.kept);
  const quoted = kept.reduce((sum, one) => sum + one.observations.filter(isQuoted(one)).length, 0);
  return {
    observations: sumOf(kept),
    quoted: Math.round((quoted / Math.max(1, sumOf(kept))) * 10_000) / 10_000,
    repeated: kept.reduce((sum, { observations }) => sum + repeated(observations), 0),
    turns: measure(observed.flatMap(({ turns }) => turns)),
    both: measure(observed.flatMap(({ both }) => both)),
  };
}
