import stringify from "safe-stable-stringify";
import { uuidv7 } from "uuidv7";
import { refuseChainOfThought, refuseCredential } from "../domain/credential-text.js";
import { must } from "../domain/errors.js";
import { type RunId, trustedId } from "../domain/ids.js";
import type { Place, SubjectKey } from "../domain/keyring.js";
import type { Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import { parseRoute } from "../domain/route-rules.js";
import type { AskedAction } from "../policy/question.js";
import { insertCheckpoint } from "../storage/queries/checkpoint-write.js";
import type { RouteRow } from "../storage/queries/route-find.js";
import { insertRun } from "../storage/queries/run-insert.js";
import type { Statement } from "../storage/sql.js";
import { sealCheckpoint } from "./checkpoints.js";
import { idleEnd } from "./clocks.js";
import type { Operation } from "./operation.js";

/** Where a run belongs. */
type Home = Pick<Pin, "tenant" | "workspace" | "subject" | "keyId" | "session">;

function homeOf({ tenant, workspace, subject, keyId, session }: Home): Home {
  return { tenant, workspace, subject, keyId, session };
}

/** The pin that a route decision makes: the route version with its whole profile, copied. */
export function makePin(route: RouteRow, home: Home, parent?: RunId): Pin {
  return Object.freeze({
    ...homeOf(home),
    ...(parent === undefined ? {} : { parent }),
    run: trustedId<"RunId">(uuidv7()),
    routeId: route.routeId,
    route: Object.freeze(route.definition),
    profileHash: route.profileHash,
  });
}

/** A pin that keeps nothing: what the policy is asked about a session in which no run is active. */
export function pinOfNothing(home: Home): Pin {
  const routeId = trustedId<"RouteId">("none");
  return Object.freeze({
    ...homeOf(home),
    run: trustedId<"RunId">(uuidv7()),
    routeId,
    route: Object.freeze({ ...parseRoute({}, routeId), version: 0 }),
    profileHash: "",
  });
}

/** What a run is pinned to, with its whole route row, as one HMAC: a pin that was changed in the database is found by it. */
export function macPin(key: SubjectKey, pin: Pin): Uint8Array {
  const { workspace, session, run, parent, routeId, route, profileHash } = pin;
  const text = stringify([workspace, session, run, parent, routeId, route, profileHash]);
  return key.mac("pin", must(text, "text of a pin"));
}

export function goalPlace(run: RunId, session: string): Place {
  return { table: "run", column: "goal_sealed", row: run, within: session, version: 1 };
}

/** Refuses a goal for what it says. Comes first: such a request leaves neither a subject nor a session behind. */
export function refuseGoal(goal: string): void {
  refuseCredential(goal, "goal");
  refuseChainOfThought(goal, "goal");
}

export interface NewPinnedRun {
  readonly pin: Pin;
  readonly key: SubjectKey;
  readonly goal: string;
}

/** Statements that write a run with its goal and, under `loop: checkpoint`, its first record. */
export function pinStatements(
  permit: Permit,
  run: NewPinnedRun,
): { readonly statements: readonly Statement[]; readonly expiresAt: Date } {
  const { pin, key } = run;
  const { now } = permit.scope;
  const expiresAt = idleEnd(pin, now);
  const goalSealed = key.seal(goalPlace(pin.run, pin.session), run.goal);
  const statements = [
    insertRun(permit, {
      pin,
      parent: pin.parent ?? null,
      goalSealed,
      pinMac: macPin(key, pin),
      expiresAt,
      state: "active",
    }),
  ];
  if (pin.route.memory_profile.loop === "checkpoint") {
    const first = { ...sealCheckpoint(key, pin, {}), step: 0, resumeIndex: 0 };
    statements.push(insertCheckpoint(permit, pin.run, pin.session, first));
  }
  return { statements, expiresAt };
}

/** How a reply names a run that was started. */
export function startedReply<A extends AskedAction>(
  op: Operation<A>,
  { run, routeId, route }: Pin,
  expiresAt: Date,
) {
  return {
    run_id: run,
    route_id: routeId,
    route_version: route.version,
    expires_at: expiresAt.toISOString(),
    decision: op.decision(),
  };
}
