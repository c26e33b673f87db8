export type { AiSdkModel } from "./adapters/run-route/ai-sdk.js";
export type {
  Capabilities,
  Capability,
  CapabilityContext,
} from "./adapters/run-route/capability.js";
export type { CourseOptions } from "./adapters/run-route/course.js";
export type { RunMemory } from "./adapters/run-route/memory.js";
export type {
  Model,
  ModelReply,
  ModelRequest,
  ShownTool,
  ToolRequest,
} from "./adapters/run-route/model.js";
export type { FailureCode, RunRouteResult } from "./adapters/run-route/outcome.js";
export {
  type ResumeRouteOptions,
  type RunChildOptions,
  type RunRouteOptions,
  resumeRoute,
  runChild,
  runRoute,
} from "./adapters/run-route/run-route.js";
export type { Hooks } from "./compose/hooks.js";
export { type Muniment, openMuniment } from "./compose/muniment.js";
export type { CallOptions, Operations } from "./compose/operations.js";
export type { SettingsInput } from "./config/settings.js";
export { type ErrorKind, MunimentError } from "./domain/errors.js";
export type { Claims, PrincipalKind } from "./domain/principal.js";
export type { MemoryProfile } from "./domain/profile.js";
export type { Route, Stage } from "./domain/route.js";
export type { SlotCondition } from "./domain/slot-condition.js";
export { checkArchive } from "./services/archive/archive-reader.js";
export type { ImportSubjectBody, ImportTenantBody } from "./services/archive/bodies.js";
export { readableArchive } from "./services/archive/readable.js";
export type {
  AppendTurnsBody,
  AssembleBody,
  AuditQuery,
  CloseRunBody,
  CompleteStageBody,
  EscalateRunBody,
  FailRunBody,
  HandoffSlotsBody,
  PageQuery,
  PrefetchCorpusBody,
  ProjectChildBody,
  PutRouteBody,
  ResumeRunBody,
  SearchCorpusBody,
  StageBody,
  StartRunBody,
  TakeTurnBody,
  TurnBody,
  UseToolBody,
  WriteCheckpointBody,
  WriteWorkingBody,
} from "./services/bodies.js";
export type {
  AppendEpisodeBody,
  CloseSessionBody,
  DigestEntryBody,
  TracesQuery,
  WorkQuery,
} from "./services/episodic-bodies.js";
export type {
  EraseScopeBody,
  EraseSubjectBody,
  FindTextBody,
  ListHoldsQuery,
  PlaceHoldBody,
  RotateKeyBody,
  VerifyErasureBody,
} from "./services/erasure-bodies.js";
export type { HandoffPackage } from "./services/handoff-package.js";
export {
  type ArchiveTaker,
  type ImportArchiveResult,
  importArchive,
} from "./services/import-archive.js";
export type { ImportedTurnBody, ImportTurnsBody } from "./services/import-body.js";
export type { ObserveSubjectBody, PutDimensionBody } from "./services/observation-bodies.js";
export type {
  PackRecallBody,
  RecallObservationsBody,
  RecallTurnsBody,
} from "./services/recall-bodies.js";
export type { CorpusQuery, Retrieval, Retrieved } from "./services/retrieval.js";
export type { TraceBody } from "./services/trace-body.js";
