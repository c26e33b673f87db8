import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ImportedTurnBody,
  type Muniment,
  type Operations,
  openMuniment,
  type PutRouteBody,
} from "muniment";
import type { LocomoSample, LocomoTurn } from "./locomo-file.js";
import type { FoundTurn } from "./reweigh.js";

/** Answers a question about a sample with its turns, best first. */
export type Ask = (
  sampleId: string,
  question: string,
  limit: number,
) => Promise<readonly FoundTurn[]>;

/** Samples in an embedded Muniment of their own, each a subject: policy, sealing and audit on. */
export interface Library {
  take(samples: readonly LocomoSample[], tell: (line: string) => void): Promise<void>;
  /** Gives every turn its vector by the optional English model. How many turns there were. */
  embed(): Promise<number>;
  /** Opens it to be asked, by words alone or by meaning too. */
  asking<Result>(vectors: boolean, use: (ask: Ask) => Promise<Result>): Promise<Result>;
}

const ROUTE = "eval";
const ROWS_A_REQUEST = 500;
const CALLER = { issuer: "eval", tenant: "eval", workspace: "default" } as const;

export const ROUTE_BODY: PutRouteBody = {
  memory_profile: {
    conversation: "session",
    working: "none",
    loop: "none",
    long_term: "retrieve_only",
    ttl_hours: 24,
    isolation: ["tenant", "user", "session"],
  },
  autonomy: 0,
  risk: "low",
  tokens_max: 8_000,
};

/** A library that is gone afterwards. */
export async function withLibrary<Result>(
  use: (library: Library) => Promise<Result>,
): Promise<Result> {
  const dir = await mkdtemp(join(tmpdir(), "muniment-eval-"));
  const place = { dataDir: join(dir, "data"), masterKeyFile: join(dir, "master.key") };
  const runs = new Map<string, string>();
  const opened = async <R>(vectors: boolean, work: (muniment: Muniment) => Promise<R>) => {
    const muniment = await openMuniment({ ...place, ...(vectors && { embedder: "english" }) });
    try {
      return await work(muniment);
    } finally {
      await muniment.close();
    }
  };
  try {
    return await use({
      take: (samples, tell) =>
        opened(false, async (muniment) => {
          const app = appOf(muniment);
          await app.putRoute(ROUTE, ROUTE_BODY);
          for (const sample of samples) {
            runs.set(sample.id, await takeSample(app, sample));
            tell(`${sample.id}: ${sample.turns.length} turns imported`);
          }
        }),
      embed: () => opened(true, async ({ jobs }) => (await jobs.run()).embedded),
      asking: (vectors, work) =>
        opened(vectors, (muniment) => {
          const app = appOf(muniment);
          return work((id, question, limit) => ask(app, runs.get(id) ?? "", question, limit));
        }),
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function appOf(muniment: Muniment): Operations {
  return muniment.as({ ...CALLER, id: "eval", kind: "service", roles: ["app", "operator"] });
}

/** The run in which the sample is asked about. */
async function takeSample(app: Operations, { id, turns }: LocomoSample): Promise<string> {
  for (let from = 0; from < turns.length; from += ROWS_A_REQUEST) {
    const rows = turns.slice(from, from + ROWS_A_REQUEST).map(toRow);
    const { imported } = await app.importTurns(id, { route_id: ROUTE, rows });
    if (imported !== rows.length)
      throw new Error(`${rows.length - imported} turns of ${id} weren't imported`);
  }
  const goal = "Answer questions";
  return (await app.startRun(id, "questions", { route_id: ROUTE, goal })).run_id;
}

export function toRow({ diaId, speaker, text, session, observedAt }: LocomoTurn): ImportedTurnBody {
  return {
    session: `session ${session}`,
    source_id: diaId,
    role: "user",
    speaker,
    text,
    observed_at: observedAt.toISOString(),
  };
}

async function ask(
  app: Operations,
  run: string,
  query: string,
  limit: number,
): Promise<readonly FoundTurn[]> {
  const { hits } = await app.recallTurns(run, { query, limit });
  return hits.flatMap(({ source, why }) =>
    source.source_id === null ? [] : [{ id: source.source_id, why }],
  );
}
