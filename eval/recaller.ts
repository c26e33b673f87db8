import { trustedId } from "../src/domain/ids.js";
import { analyseQuery, analyseTurn } from "../src/recall/analyse.js";
import { SubjectIndex } from "../src/recall/subject-index.js";
import type { LocomoSample } from "./locomo-file.js";

/** Whatever answers a question about a sample with ids of its turns, best first. */
export interface Recaller {
  ask(sampleId: string, question: string, limit: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

const WORKSPACE = trustedId<"WorkspaceId">("eval");
const ROUTE = trustedId<"RouteId">("eval");
const NEVER = new Date("9999-01-01T00:00:00Z");
const NOW = new Date("2030-01-01T00:00:00Z");

/** Holds each sample in a search index of its own, without database and policy. */
export function recallInMemory(samples: readonly LocomoSample[]): Recaller {
  const indexes = new Map(samples.map((sample) => [sample.id, indexOf(sample)]));
  return {
    async ask(sampleId, question, limit) {
      const filter = { workspace: WORKSPACE, routes: new Set([ROUTE]), now: NOW, limit };
      return (
        indexes
          .get(sampleId)
          ?.search(analyseQuery(question), filter)
          .hits.map((hit) => hit.id) ?? []
      );
    },
    async close() {},
  };
}

function indexOf(sample: LocomoSample): SubjectIndex {
  const index = new SubjectIndex();
  sample.turns.forEach((turn, seq) => {
    index.add({
      id: trustedId<"TurnId">(turn.diaId),
      sessionId: trustedId<"SessionId">(String(turn.session)),
      seq,
      workspaceId: WORKSPACE,
      routeId: ROUTE,
      speakerId: trustedId<"SpeakerId">(turn.speaker),
      observedAt: turn.observedAt,
      evidenceUntil: NEVER,
      terms: analyseTurn(turn),
    });
  });
  return index;
}
