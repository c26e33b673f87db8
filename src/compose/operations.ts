import type { AppendEpisodeReply } from "../services/append-episode.js";
import type { AppendTurnsReply } from "../services/append-turns.js";
import type { AssembleReply } from "../services/assemble.js";
import type * as body from "../services/bodies.js";
import type { CloseSessionReply } from "../services/close-session.js";
import type { CompleteStageReply } from "../services/complete-stage.js";
import type { DiagnosePackReply } from "../services/diagnose-pack.js";
import type { EndRunReply } from "../services/end-run.js";
import type * as episodic from "../services/episodic-bodies.js";
import type { EscalateRunReply } from "../services/escalate-run.js";
import type { ExplainPackReply } from "../services/explain-pack.js";
import type { HandoffReply } from "../services/handoff-slots.js";
import type { ImportTurnsBody } from "../services/import-body.js";
import type { ImportReply } from "../services/import-turns.js";
import type { LastTimeReply } from "../services/last-time.js";
import type { ListToolsReply } from "../services/list-tools.js";
import type { ListTurnsReply } from "../services/list-turns.js";
import type { ListWorkReply, RetryWorkReply } from "../services/list-work.js";
import type { PrefetchCorpusReply } from "../services/prefetch-corpus.js";
import type { PutRouteReply } from "../services/put-route.js";
import type { QueryTracesReply } from "../services/query-traces.js";
import type { ReadAuditReply } from "../services/read-audit.js";
import type { ReadFreshnessReply } from "../services/read-freshness.js";
import type { ListRoutesReply, ReadRouteReply } from "../services/read-route.js";
import type { ReadRunReply } from "../services/read-run.js";
import type { ReadViewReply } from "../services/read-view.js";
import type { RecallObservationsBody, RecallTurnsBody } from "../services/recall-bodies.js";
import type { RecallEpisodesReply } from "../services/recall-episodes.js";
import type { RecallObservationsReply } from "../services/recall-observations.js";
import type { RecallReply } from "../services/recall-turns.js";
import type { ResumeRunReply } from "../services/resume-run.js";
import type { SearchCorpusReply } from "../services/search-corpus.js";
import type { StartRunReply } from "../services/start-run.js";
import type { TakeTurnReply } from "../services/take-turn.js";
import type { UseToolReply } from "../services/use-tool.js";
import type { WriteCheckpointReply } from "../services/write-checkpoint.js";
import type { WriteWorkingReply } from "../services/write-working.js";
import type { ArchiveOperations } from "./archive-operations.js";
import type { ErasureOperations } from "./erasure-operations.js";
import type { EvidenceOperations } from "./evidence-operations.js";
import type { ObservationOperations } from "./observation-operations.js";
import type { StoreOperations } from "./store-operations.js";

/** What one call may carry beside its body. */
export interface CallOptions {
  /** Makes a write repeatable: the same key and request answer with the first reply. Others refuse it. */
  readonly idempotencyKey?: string;
}

/**
 * Every operation, as one caller. Bodies and replies are those of the HTTP interface. Subjects and sessions go by the
 * application's own ids, runs and packs by ours. Each call throws `MunimentError` where it is refused.
 */
export interface Operations
  extends StoreOperations,
    EvidenceOperations,
    ArchiveOperations,
    ErasureOperations,
    ObservationOperations {
  /** Writes a new version of a route; saying the same again changes nothing. */
  putRoute(routeId: string, body: body.PutRouteBody): Promise<PutRouteReply>;
  /** The latest version where none is named. */
  readRoute(routeId: string, query: { readonly version?: number }): Promise<ReadRouteReply>;
  listRoutes(query: body.PageQuery): Promise<ListRoutesReply>;
  /** Pins the route's latest version to a new run, the session's active one. Makes subject and session where they are new. */
  startRun(subject: string, session: string, body: body.StartRunBody): Promise<StartRunReply>;
  /** A turn on the session's active run: its slots and notes, resumed where it had failed. */
  takeTurn(subject: string, session: string, body: body.TakeTurnBody): Promise<TakeTurnReply>;
  /** Takes in turns of past sessions, as evidence alone. */
  importTurns(subject: string, body: ImportTurnsBody): Promise<ImportReply>;
  readRun(runId: string): Promise<ReadRunReply>;
  appendTurns(runId: string, body: body.AppendTurnsBody): Promise<AppendTurnsReply>;
  /** Turns of the run's session, newest first. */
  listTurns(runId: string, query: body.PageQuery): Promise<ListTurnsReply>;
  /** Replaces whole classes of the run's working memory. */
  writeWorking(runId: string, body: body.WriteWorkingBody): Promise<WriteWorkingReply>;
  /** Keeps a stage's output, notes, turns and checkpoint: all or nothing. */
  completeStage(
    runId: string,
    stageId: string,
    body: body.CompleteStageBody,
  ): Promise<CompleteStageReply>;
  writeCheckpoint(runId: string, body: body.WriteCheckpointBody): Promise<WriteCheckpointReply>;
  failRun(runId: string, body: body.FailRunBody): Promise<EndRunReply>;
  closeRun(runId: string, body: body.CloseRunBody): Promise<EndRunReply>;
  /** Ends a session for good and queues its compression to episodes. */
  closeSession(
    subject: string,
    session: string,
    body: episodic.CloseSessionBody,
  ): Promise<CloseSessionReply>;
  /** Carries named slots of an earlier run of the same session over to this one. */
  handoffSlots(runId: string, body: body.HandoffSlotsBody): Promise<HandoffReply>;
  /** Starts a child agent's run with named slots of this one and nothing else. */
  projectChild(runId: string, body: body.ProjectChildBody): Promise<StartRunReply>;
  /** What the run may remember now, under its token cap. */
  assemble(runId: string, body: body.AssembleBody): Promise<AssembleReply>;
  recallTurns(runId: string, body: RecallTurnsBody): Promise<RecallReply>;
  /** The gate before a call of one of the application's tools: the route must list it for this point of the run. */
  useTool(runId: string, body: body.UseToolBody): Promise<UseToolReply>;
  /** Searches corpora of the pinned route: documents, never a person's memory. Nothing is kept of it. */
  searchCorpus(runId: string, body: body.SearchCorpusBody): Promise<SearchCorpusReply>;
  /** The same, into the slot `prefetch`. */
  prefetchCorpus(runId: string, body: body.PrefetchCorpusBody): Promise<PrefetchCorpusReply>;
  /** Stops the run until a human resumes it. */
  escalateRun(runId: string, body: body.EscalateRunBody): Promise<EscalateRunReply>;
  /** A human answers what the run waits for, and lets it go on. */
  resumeRun(runId: string, body: body.ResumeRunBody): Promise<ResumeRunReply>;
  /** Why each line of a pack is in or out, and whether the pack may still be used. */
  explainPack(packId: string): Promise<ExplainPackReply>;
  /** Operators: which memory each line of a pack (or one) came from, who put it there and when, and what can be done. */
  diagnosePack(packId: string, query: { readonly line?: number }): Promise<DiagnosePackReply>;
  /** Memory tools that the run's model may be shown now. */
  listTools(runId: string): Promise<ListToolsReply>;
  recallEpisodes(runId: string, body: RecallTurnsBody): Promise<RecallEpisodesReply>;
  /** What was observed of the person, with the words that it was made of; in scope `both`, one list with what was said. */
  recallObservations(runId: string, body: RecallObservationsBody): Promise<RecallObservationsReply>;
  /** Keeps what the run's conversation came to, checked against it. */
  appendEpisode(runId: string, body: episodic.AppendEpisodeBody): Promise<AppendEpisodeReply>;
  /** What runs did: ids and summaries. */
  queryTraces(query: episodic.TracesQuery): Promise<QueryTracesReply>;
  /** What happened last time: earlier runs with their tickets, and the last escalation. */
  lastTime(runId: string, query: { readonly limit?: number }): Promise<LastTimeReply>;
  /** A view of the person as a whole: `user_model`, `fold`, or a projection. */
  readView(subject: string, view: string): Promise<ReadViewReply>;
  /** When each conversation ended, when it was processed, and when the outcome was served. */
  readFreshness(subject: string): Promise<ReadFreshnessReply>;
  /** Jobs of the tenant, newest first. */
  listWork(query: episodic.WorkQuery): Promise<ListWorkReply>;
  /** Gives a parked job another round of tries. */
  retryWork(workId: string): Promise<RetryWorkReply>;
  readAudit(query: body.AuditQuery): Promise<ReadAuditReply>;
}
