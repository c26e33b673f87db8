import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ImportedTurnBody, type Operations, openMuniment, type PutRouteBody } from "muniment";
import type { LocomoSample, LocomoTurn } from "./locomo-file.js";
import type { FoundTurn } from "./reweigh.js";

/** Whatever answers a question about a sample with its turns, best first. */
export interface Recaller {
  ask(sampleId: string, question: string, limit: number): Promise<readonly FoundTurn[]>;
  close(): Promise<void>;
}

const ROUTE = "eval";
const ROWS_A_REQUEST = 500;
const CALLER = { issuer: "eval", tenant: "eval", workspace: "default" } as const;

const ROUTE_BODY: PutRouteBody = {
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

/** Imports each sample as a subject of an embedded Muniment of its own, and asks by recall in a run: policy, sealing and audit on. */
export async function recallInMuniment(
  samples: readonly LocomoSample[],
  tell: (line: string) => void,
): Promise<Recaller> {
  const dir = await mkdtemp(join(tmpdir(), "muniment-eval-"));
  const muniment = await openMuniment({
    dataDir: join(dir, "data"),
    masterKeyFile: join(dir, "master.key"),
  });
  const close = async () => {
    await muniment.close();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    const app = muniment.as({ ...CALLER, id: "eval", kind: "service", roles: ["app", "operator"] });
    await app.putRoute(ROUTE, ROUTE_BODY);
    const runs = new Map<string, string>();
    for (const sample of samples) {
      await importSample(app, sample);
      const run = await app.startRun(sample.id, "questions", {
        route_id: ROUTE,
        goal: "Answer questions",
      });
      runs.set(sample.id, run.run_id);
      tell(`${sample.id}: ${sample.turns.length} turns imported`);
    }
    return {
      close,
      ask: (sampleId, question, limit) => ask(app, runs.get(sampleId) ?? "", question, limit),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function importSample(app: Operations, { id, turns }: LocomoSample): Promise<void> {
  for (let from = 0; from < turns.length; from += ROWS_A_REQUEST) {
    const rows = turns.slice(from, from + ROWS_A_REQUEST).map(toRow);
    const { imported } = await app.importTurns(id, { route_id: ROUTE, rows });
    if (imported !== rows.length)
      throw new Error(`${rows.length - imported} turns of ${id} weren't imported`);
  }
}

function toRow({ diaId, speaker, text, session, observedAt }: LocomoTurn): ImportedTurnBody {
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
