export type { Hooks } from "./compose/hooks.js";
export { type Muniment, openMuniment } from "./compose/muniment.js";
export type { CallOptions, Operations } from "./compose/operations.js";
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
