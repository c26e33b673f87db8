import type { Claims } from "../domain/principal.js";
import { appendEpisode } from "../services/append-episode.js";
import { appendTurns } from "../services/append-turns.js";
import { assemble } from "../services/assemble.js";
import { closeSession } from "../services/close-session.js";
import { completeStage } from "../services/complete-stage.js";
import { diagnosePack } from "../services/diagnose-pack.js";
import { closeRun, failRun } from "../services/end-run.js";
import { escalateRun } from "../services/escalate-run.js";
import { explainPack } from "../services/explain-pack.js";
import { handoffSlots } from "../services/handoff-slots.js";
import { importTurns } from "../services/import-turns.js";
import { lastTime } from "../services/last-time.js";
import { listDimensions } from "../services/list-dimensions.js";
import { listEvents } from "../services/list-events.js";
import { listTools } from "../services/list-tools.js";
import { listTurns } from "../services/list-turns.js";
import { listWork, retryWork } from "../services/list-work.js";
import { observeSubject } from "../services/observe-subject.js";
import { prefetchCorpus } from "../services/prefetch-corpus.js";
import { projectChild } from "../services/project-child.js";
import { putDimension } from "../services/put-dimension.js";
import { putRoute } from "../services/put-route.js";
import { queryTraces } from "../services/query-traces.js";
import { readAudit } from "../services/read-audit.js";
import { readFreshness } from "../services/read-freshness.js";
import { listRoutes, readRoute } from "../services/read-route.js";
import { readRunView } from "../services/read-run.js";
import { readView } from "../services/read-view.js";
import { recallEpisodes } from "../services/recall-episodes.js";
import { recallObservations } from "../services/recall-observations.js";
import { recallTurns } from "../services/recall-turns.js";
import { recordEvents } from "../services/record-events.js";
import { resumeRun } from "../services/resume-run.js";
import { searchCorpus } from "../services/search-corpus.js";
import type { Services } from "../services/services.js";
import { startRun } from "../services/start-run.js";
import { takeTurn } from "../services/take-turn.js";
import { testDimension } from "../services/test-dimension.js";
import { useTool } from "../services/use-tool.js";
import { writeCheckpoint } from "../services/write-checkpoint.js";
import { writeWorking } from "../services/write-working.js";
import { bindingOf } from "./binding.js";
import { boundPrivacyOperations } from "./bound-privacy-operations.js";
import { boundStoreOperations } from "./bound-store-operations.js";
import type { CallOptions } from "./operations.js";

/** Every operation over given services, as one caller. Bodies are parsed there, whatever they are. */
export function operationsOf(services: Services, claims: Claims, options: CallOptions = {}) {
  const { bind } = bindingOf(services, claims, options);
  return {
    putRoute: bind(putRoute),
    readRoute: bind(readRoute),
    listRoutes: bind(listRoutes),
    startRun: bind(startRun),
    takeTurn: bind(takeTurn),
    importTurns: bind(importTurns),
    recordEvents: bind(recordEvents),
    listEvents: bind(listEvents),
    readRun: bind(readRunView),
    appendTurns: bind(appendTurns),
    listTurns: bind(listTurns),
    writeWorking: bind(writeWorking),
    completeStage: bind(completeStage),
    writeCheckpoint: bind(writeCheckpoint),
    failRun: bind(failRun),
    closeRun: bind(closeRun),
    closeSession: bind(closeSession),
    handoffSlots: bind(handoffSlots),
    projectChild: bind(projectChild),
    assemble: bind(assemble),
    recallTurns: bind(recallTurns),
    useTool: bind(useTool),
    searchCorpus: bind(searchCorpus),
    prefetchCorpus: bind(prefetchCorpus),
    escalateRun: bind(escalateRun),
    resumeRun: bind(resumeRun),
    recallEpisodes: bind(recallEpisodes),
    recallObservations: bind(recallObservations),
    appendEpisode: bind(appendEpisode),
    queryTraces: bind(queryTraces),
    lastTime: bind(lastTime),
    readView: bind(readView),
    readFreshness: bind(readFreshness),
    observeSubject: bind(observeSubject),
    putDimension: bind(putDimension),
    listDimensions: bind(listDimensions),
    testDimension: bind(testDimension),
    listWork: bind(listWork),
    retryWork: bind(retryWork),
    explainPack: bind(explainPack),
    diagnosePack: bind(diagnosePack),
    listTools: bind(listTools),
    readAudit: bind(readAudit),
    ...boundStoreOperations(services, claims, options),
    ...boundPrivacyOperations(services, claims, options),
  };
}
