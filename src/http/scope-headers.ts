import type { IncomingHttpHeaders } from "node:http";
import { namesScope, scopeInInput } from "../domain/fields.js";

/** What gateways and other services put before the name of a scope that they pass along. */
const PREFIX =
  /^(?:x-)?(?:(?:muniment|forwarded|auth|authenticated|webauth|remote|client|original|request|verified|goog|google|amzn|aws|ms|azure|okta|kong|cf|envoy)-)*/;

/** Refuses a header that names a scope: whoever sends it expects it to work. */
export function refuseScopeHeaders(headers: IncomingHttpHeaders): void {
  const named = Object.keys(headers).find((name) => namesScope(name.replace(PREFIX, "")));
  if (named !== undefined) throw scopeInInput(named);
}
