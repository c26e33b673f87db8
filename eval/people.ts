import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Operations, openMuniment } from "muniment";
import { ROUTE_BODY, toRow } from "./library.js";
import type { LocomoSample } from "./locomo-file.js";
import type { Kept, KeptObservation } from "./observed.js";

const ROUTE = "eval";
const ROWS_A_REQUEST = 500;

/** People of conversations in an embedded Muniment of their own: each of a conversation's two is a subject of all its turns. */
export interface People {
  /** Imports a conversation for each of its people and observes it. What is kept of each. */
  take(sample: LocomoSample): Promise<readonly Kept[]>;
  /** Ids of turns that answer, best first: of the person whom the question names, else of the first. */
  ask(
    sample: LocomoSample,
    question: string,
    scope: "turns" | "both",
    limit: number,
  ): Promise<readonly string[]>;
}

/** An OpenAI-compatible model; its key, if it needs one, stands in the environment. */
export interface ModelPlace {
  readonly modelUrl: string;
  readonly modelName: string;
}

/** A place that is gone afterwards. */
export async function withPeople(
  model: ModelPlace | null,
  use: (people: People) => Promise<void>,
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "muniment-eval-"));
  const muniment = await openMuniment({
    dataDir: join(dir, "data"),
    masterKeyFile: join(dir, "master.key"),
    ...model,
  });
  const runs = new Map<string, string>();
  const names = new Map<string, string>();
  // People of two conversations may have one name.
  const appOf = (tenant: string): Operations =>
    muniment.as({
      issuer: "eval",
      id: "eval",
      kind: "service",
      tenant,
      workspace: "default",
      roles: ["app", "operator", "privacy_officer"],
    });
  try {
    await use({
      take: async (sample) => {
        const app = appOf(sample.id);
        await app.putRoute(ROUTE, ROUTE_BODY);
        const kept: Kept[] = [];
        for (const person of peopleOf(sample))
          runs.set(keyOf(sample, person), await talk(app, sample, person));
        await muniment.jobs.run();
        for (const person of peopleOf(sample)) kept.push(await keptOf(app, person, names));
        return kept;
      },
      ask: async (sample, query, scope, limit) => {
        const people = peopleOf(sample);
        const person = people.find((name) => query.includes(name)) ?? people[0] ?? "";
        const run = runs.get(keyOf(sample, person)) ?? "";
        const { hits } = await appOf(sample.id).recallObservations(run, { query, scope, limit });
        const turns = hits.flatMap((hit) =>
          hit.kind === "turn" ? [hit.turn_id] : hit.source.turn_ids,
        );
        return [...new Set(turns)].map((id) => names.get(id) ?? id);
      },
    });
  } finally {
    await muniment.close();
    await rm(dir, { recursive: true, force: true });
  }
}

function peopleOf({ turns }: LocomoSample): readonly string[] {
  return [...new Set(turns.map(({ speaker }) => speaker))];
}

function keyOf({ id }: LocomoSample, person: string): string {
  return `${id}/${person}`;
}

/** Imports all that was said and has it observed. The run in which the person is asked about. */
async function talk(app: Operations, { turns }: LocomoSample, person: string): Promise<string> {
  const rows = turns.map(toRow);
  for (let from = 0; from < rows.length; from += ROWS_A_REQUEST)
    await app.importTurns(person, {
      route_id: ROUTE,
      rows: rows.slice(from, from + ROWS_A_REQUEST),
    });
  await app.observeSubject(person, { imported: true });
  const goal = "Answer questions";
  return (await app.startRun(person, "questions", { route_id: ROUTE, goal })).run_id;
}

/** Reads what is kept of a person out of their archive, and notes the names of turns. */
async function keptOf(app: Operations, person: string, names: Map<string, string>): Promise<Kept> {
  const observations: KeptObservation[] = [];
  const texts = new Map<string, string>();
  for await (const text of app.exportSubject(person)) {
    const line = JSON.parse(text) as ArchivedLine;
    if (line.kind === "turn") {
      texts.set(line.turn_id, line.content.text);
      if (line.source !== null) names.set(line.turn_id, line.source);
    } else if (line.kind === "observation") {
      const { dimension_id: dimension, basis, turn_ids: turnIds, body } = line;
      observations.push({ dimension, basis, turnIds, ...body });
    }
  }
  return { observations, texts };
}

/** Lines that are read, by their kind. */
type ArchivedLine =
  | {
      readonly kind: "turn";
      readonly turn_id: string;
      readonly source: string | null;
      readonly content: { readonly text: string };
    }
  | {
      readonly kind: "observation";
      readonly dimension_id: string;
      readonly basis: string;
      readonly turn_ids: readonly string[];
      readonly body: Pick<KeptObservation, "text" | "quotes">;
    }
  | { readonly kind: "manifest" | "trailer" };
