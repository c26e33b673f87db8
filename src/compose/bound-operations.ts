import type { Claims } from "../domain/principal.js";
import { appendEpisode } from "../services/append-episode.js";
import { appendTurns } from "../services/append-turns.js";
import { assemble } from "../services/assemble.js";
import { closeSession } from "../services/close-session.js";
import { completeStage } from "../services/complete-stage.js";
import { deleteField } from "../services/delete-field.js";
import { diagnosePack } from "../services/diagnose-pack.js";
import { closeRun, failRun } from "../services/end-run.js";
import { escalateRun } from "../services/escalate-run.js";
import { explainPack } from "../services/explain-pack.js";
import { handoffSlots } from "../services/handoff-slots.js";
import { importTurns } from "../services/import-turns.js";
import { lastTime } from "../services/last-time.js";
import { listCandidates } from "../services/list-candidates.js";
import { listDimensions } from "../services/list-dimensions.js";
import { listEvents } from "../services/list-events.js";
import { listFields } from "../services/list-fields.js";
import { listPromotions } from "../services/list-promotions.js";
import { listTools } from "../services/list-tools.js";
import { listTurns } from "../services/list-turns.js";
import { listWork, retryWork } from "../services/list-work.js";
import { observeSubject } from "../services/observe-subject.js";
import { prefetchCorpus } from "../services/prefetch-corpus.js";
import { projectChild } from "../services/project-child.js";
import { promoteByEvaluator } from "../services/promote-by-evaluator.js";
import { promoteByHuman } from "../services/promote-by-human.js";
import { promoteByReconcile } from "../services/promote-by-reconcile.js";
import { proposeField } from "../services/propose-field.js";
import { putDimension } from "../services/put-dimension.js";
import { putField } from "../services/put-field.js";
import { putRoute } from "../services/put-route.js";
import { queryTraces } from "../services/query-traces.js";
import { readAudit } from "../services/read-audit.js";
import { listDefinitions, readField } from "../services/read-field.js";
import { readFreshness } from "../services/read-freshness.js";
import { listRoutes, readRoute } from "../services/read-route.js";
import { readRunView } from "../services/read-run.js";
import { readView } from "../services/read-view.js";
import { recallEpisodes } from "../services/recall-episodes.js";
import { recallObservations } from "../services/recall-observations.js";
import { recallTurns } from "../services/recall-turns.js";
import { recordEvents } from "../services/record-events.js";
import { rejectCandidate } from "../services/reject-candidate.js";
import { resumeRun } from "../services/resume-run.js";
import { revertPromotion } from "../services/revert-promotion.js";
import { searchCorpus } from "../services/search-corpus.js";
import type { Services } from "../services/services.js";
import { setPreference } from "../services/set-preference.js";
import { setSessionField } from "../services/set-session-field.js";
import { startRun } from "../services/start-run.js";
import { takeTurn } from "../services/take-turn.js";
import { testDimension } from "../services/test-dimension.js";
import { upsertPreference } from "../services/upsert-preference.js";
import { useTool } from "../services/use-tool.js";
import { writeCheckpoint } from "../services/write-checkpoint.js";
import { writeWorking } from "../services/write-working.js";
import { bindingOf } from "./binding.js";
import type { CallOptions } from "./operations.js";
import { privacyOperationsOf } from "./privacy-operations.js";

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
    putField: bind(putField),
    readField: bind(readField),
    listDefinitions: bind(listDefinitions),
    proposeField: bind(proposeField),
    upsertPreference: bind(upsertPreference),
    listCandidates: bind(listCandidates),
    promoteByHuman: bind(promoteByHuman),
    promoteByEvaluator: bind(promoteByEvaluator),
    promoteByReconcile: bind(promoteByReconcile),
    rejectCandidate: bind(rejectCandidate),
    revertPromotion: bind(revertPromotion),
    setPreference: bind(setPreference),
    setSessionField: bind(setSessionField),
    deleteField: bind(deleteField),
    listFields: bind(listFields),
    listPromotions: bind(listPromotions),
    listTools: bind(listTools),
    readAudit: bind(readAudit),
    ...privacyOperationsOf(services, claims, options),
  };
}
