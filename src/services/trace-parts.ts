import type { Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import type { Trace } from "../domain/trace.js";

/** What the permit is about stands in its row, where no pin says more. */
export function scopeTrace({ scope }: Permit): Pick<Trace, "subject" | "session"> {
  return {
    ...(scope.subject === undefined ? {} : { subject: scope.subject }),
    ...(scope.session === undefined ? {} : { session: scope.session }),
  };
}

/** What a run is and was pinned to. */
export function pinTrace(
  pin: Pin,
): Pick<Trace, "session" | "run" | "routeId" | "routeVersion" | "profile"> {
  return {
    session: pin.session,
    run: pin.run,
    routeId: pin.routeId,
    routeVersion: pin.route.version,
    profile: pin.route.memory_profile,
  };
}
