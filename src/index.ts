export { type CallOptions, type Muniment, openMuniment } from "./compose/muniment.js";
export type { Hooks } from "./compose/open.js";
export type { Operations } from "./compose/operations.js";
export type { SettingsInput } from "./config/settings.js";
export { type ErrorKind, MunimentError } from "./domain/errors.js";
export type { Claims, PrincipalKind } from "./domain/principal.js";
export type { MemoryProfile } from "./domain/profile.js";
export type { Route, Stage } from "./domain/route.js";
export type {
  AppendTurnsBody,
  AssembleBody,
  AuditQuery,
  CloseRunBody,
  CompleteStageBody,
  FailRunBody,
  HandoffSlotsBody,
  ImportedTurnBody,
  ImportTurnsBody,
  PageQuery,
  ProjectChildBody,
  PutRouteBody,
  RecallTurnsBody,
  StageBody,
  StartRunBody,
  TakeTurnBody,
  TurnBody,
  WriteCheckpointBody,
  WriteWorkingBody,
} from "./services/bodies.js";
