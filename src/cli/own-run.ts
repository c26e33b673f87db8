import { MunimentError } from "../domain/errors.js";
import type { ListFieldsReply } from "../services/list-fields.js";
import type { ReadRouteReply } from "../services/read-route.js";
import type { TakeTurnReply } from "../services/take-turn.js";
import { type Client, path } from "./client.js";
import { noRoute, noSubject, orMissing } from "./missing.js";
import type { StartedRun } from "./started-run.js";

export interface Asker {
  readonly tenant: string;
  readonly subject: string;
  readonly route: string;
}

/** There is no active run to go on with. */
const NONE: readonly string[] = [
  "not_found",
  "run_ended",
  "run_expired",
  "run_waiting",
  "cannot_resume",
  "checkpoint_missing",
];

/** Sessions of the command line's own questions are called so, and nobody said anything in them. */
const OWN = "muniment-cli:";

/** The person's own chats. */
export function chatsOf<S extends { readonly session: string }>(sessions: readonly S[]) {
  return sessions.filter(({ session }) => !session.startsWith(OWN));
}

/**
 * A run for questions of the command line, in a session of its own beside the subject's chats: the last one while it is
 * pinned to the route's latest version, else a new one.
 */
export async function ownRun(client: Client, asker: Asker): Promise<string> {
  const { subject, route } = asker;
  const { route: latest } = await orMissing(
    client.call<ReadRouteReply>("GET", path`/v1/routes/${route}`),
    noRoute(route, asker),
  );
  // A run would make the person: who looks for somebody who was forgotten, or misspells a name, makes nobody.
  await orMissing(
    client.call<ListFieldsReply>("GET", path`/v1/subjects/${subject}/fields`),
    noSubject(subject, asker),
  );
  const session = path`/v1/subjects/${subject}/sessions/${`${OWN}${route}`}`;
  const active = await activeRun(client, session);
  if (active !== null && active.route_version === latest.version) return active.run_id;
  const body = { route_id: route, goal: "Answer questions from the command line" };
  return (await client.call<StartedRun>("POST", `${session}/runs`, body)).run_id;
}

async function activeRun(client: Client, session: string): Promise<TakeTurnReply | null> {
  try {
    return await client.call<TakeTurnReply>("POST", `${session}/turn`, {});
  } catch (error) {
    if (error instanceof MunimentError && NONE.includes(error.kind)) return null;
    throw error;
  }
}
