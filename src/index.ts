export { type CallOptions, type Muniment, openMuniment, type Operations } from "./compose/muniment.js";
export type { Hooks } from "./compose/open.js";
export type { SettingsInput } from "./config/settings.js";
export { type ErrorKind, MunimentError } from "./domain/errors.js";
export type { Claims, PrincipalKind } from "./domain/principal.js";
export type { MemoryProfile } from "./domain/profile.js";
export type { Route, Stage } from "./domain/route.js";
