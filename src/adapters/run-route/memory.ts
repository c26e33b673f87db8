import type { AppendEpisodeReply } from "../../services/append-episode.js";
import type { AppendTurnsReply } from "../../services/append-turns.js";
import type { AssembleReply } from "../../services/assemble.js";
import type * as body from "../../services/bodies.js";
import type { CompleteStageReply } from "../../services/complete-stage.js";
import type { EndRunReply } from "../../services/end-run.js";
import type { AppendEpisodeBody } from "../../services/episodic-bodies.js";
import type { EscalateRunReply } from "../../services/escalate-run.js";
import type { UpsertPreferenceBody } from "../../services/field-bodies.js";
import type { FiledReply } from "../../services/filing.js";
import type { ListToolsReply } from "../../services/list-tools.js";
import type { PrefetchCorpusReply } from "../../services/prefetch-corpus.js";
import type { ReadRouteReply } from "../../services/read-route.js";
import type { ReadRunReply } from "../../services/read-run.js";
import type { RecallObservationsBody, RecallTurnsBody } from "../../services/recall-bodies.js";
import type { RecallEpisodesReply } from "../../services/recall-episodes.js";
import type { RecallObservationsReply } from "../../services/recall-observations.js";
import type { RecallReply } from "../../services/recall-turns.js";
import type { SearchCorpusReply } from "../../services/search-corpus.js";
import type { StartRunReply } from "../../services/start-run.js";
import type { TakeTurnReply } from "../../services/take-turn.js";
import type { UseToolReply } from "../../services/use-tool.js";
import type { WriteCheckpointReply } from "../../services/write-checkpoint.js";

/** The operations that a route needs while it runs, as one caller: `muniment.as(...)` has them all. */
export interface RunMemory {
  readRoute(routeId: string, query: { readonly version?: number }): Promise<ReadRouteReply>;
  startRun(subject: string, session: string, body: body.StartRunBody): Promise<StartRunReply>;
  takeTurn(subject: string, session: string, body: body.TakeTurnBody): Promise<TakeTurnReply>;
  readRun(runId: string): Promise<ReadRunReply>;
  projectChild(runId: string, body: body.ProjectChildBody): Promise<StartRunReply>;
  appendTurns(runId: string, body: body.AppendTurnsBody): Promise<AppendTurnsReply>;
  assemble(runId: string, body: body.AssembleBody): Promise<AssembleReply>;
  recallTurns(runId: string, body: RecallTurnsBody): Promise<RecallReply>;
  listTools(runId: string): Promise<ListToolsReply>;
  upsertPreference(runId: string, body: UpsertPreferenceBody): Promise<FiledReply>;
  searchCorpus(runId: string, body: body.SearchCorpusBody): Promise<SearchCorpusReply>;
  prefetchCorpus(runId: string, body: body.PrefetchCorpusBody): Promise<PrefetchCorpusReply>;
  recallEpisodes(runId: string, body: RecallTurnsBody): Promise<RecallEpisodesReply>;
  recallObservations(runId: string, body: RecallObservationsBody): Promise<RecallObservationsReply>;
  appendEpisode(runId: string, body: AppendEpisodeBody): Promise<AppendEpisodeReply>;
  useTool(runId: string, body: body.UseToolBody): Promise<UseToolReply>;
  completeStage(
    runId: string,
    stageId: string,
    body: body.CompleteStageBody,
  ): Promise<CompleteStageReply>;
  writeCheckpoint(runId: string, body: body.WriteCheckpointBody): Promise<WriteCheckpointReply>;
  escalateRun(runId: string, body: body.EscalateRunBody): Promise<EscalateRunReply>;
  failRun(runId: string, body: body.FailRunBody): Promise<EndRunReply>;
  closeRun(runId: string, body: body.CloseRunBody): Promise<EndRunReply>;
}
