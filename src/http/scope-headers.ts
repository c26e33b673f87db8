import type { IncomingHttpHeaders } from "node:http";
import { MunimentError } from "../domain/errors.js";

/** Names under which gateways and other services pass a scope along. Here it comes from the credential alone. */
const SCOPE_HEADER =
  /^(?:x-)?(?:muniment-)?(?:tenant|workspace|subject|user|customer|session|principal|run|agent|org|organization|account|route|namespace|scope|memory-profile)s?(?:[-_]?ids?)?$/;

/** Refuses a header that names a scope: whoever sends it expects it to work. */
export function refuseScopeHeaders(headers: IncomingHttpHeaders): void {
  const named = Object.keys(headers).find((name) => SCOPE_HEADER.test(name));
  if (named === undefined) return;
  throw new MunimentError(
    "scope_in_input",
    `the header \`${named}\` names a scope: it comes from the credential alone`,
    { field: named },
  );
}
