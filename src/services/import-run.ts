import type { Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import type { RouteRow } from "../storage/queries/route-find.js";
import type { PinnedRunRow } from "../storage/queries/run-find-by-session.js";
import { insertRun } from "../storage/queries/run-insert.js";
import type { Statement } from "../storage/sql.js";
import { goalPlace, macPin, makePin } from "./pinning.js";
import type { Settled } from "./settle.js";

/** The run that a session's imported turns belong to: the one there is, or one that has ended before it began. */
export function importRun(
  permit: Permit<"import_turns">,
  route: RouteRow,
  { subject, session }: Settled,
  known: PinnedRunRow | undefined,
): { readonly pin: Pin; readonly statements: readonly Statement[] } {
  const { tenant, workspace, now } = permit.scope;
  const pin = makePin(route, {
    tenant,
    workspace,
    subject: subject.subject,
    keyId: subject.keyId,
    session,
  });
  if (known !== undefined) {
    const { runId, definition, profile, profileHash } = known;
    const own = { ...definition, memory_profile: profile };
    return { pin: { ...pin, run: runId, route: own, profileHash }, statements: [] };
  }
  const goalSealed = subject.key.seal(goalPlace(pin.run, session), "import");
  return {
    pin,
    statements: [
      insertRun(permit, {
        pin,
        parent: null,
        goalSealed,
        pinMac: macPin(subject.key, pin),
        expiresAt: now,
        state: "completed",
      }),
    ],
  };
}
