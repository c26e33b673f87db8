import type { DigestItem, DigestSource, Outcome } from "../domain/digest.js";
import type { RouteId, RunId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import type { SessionRun } from "../storage/queries/session-content.js";
import type { TurnRow } from "../storage/queries/turn-list-by-session.js";
import type { WorkingRow } from "../storage/queries/working-list-by-run.js";
import type { Services } from "./services.js";
import { openTurns } from "./turn-reading.js";
import { openWorking } from "./working-values.js";

/** What was said and done in a session under one route. */
export interface Conversation {
  readonly routeId: RouteId;
  /** The last run of the route in the session. */
  readonly run: RunId;
  readonly outcome: Outcome;
  readonly observedAt: Date;
  readonly source: DigestSource;
}

interface Rows {
  readonly runs: readonly SessionRun[];
  /** Newest first. */
  readonly turns: readonly TurnRow[];
  readonly working: readonly WorkingRow[];
}

/** A session's content by route: what was talked about under one route isn't another's to read. */
export function conversations(
  services: Services,
  key: SubjectKey,
  { runs, turns, working }: Rows,
): readonly Conversation[] {
  const routes = [...new Set(runs.map(({ routeId }) => routeId))];
  return routes.flatMap((routeId) => {
    const own = runs.filter((run) => run.routeId === routeId);
    const said = openTurns(
      turns.filter((turn) => turn.routeId === routeId).toReversed(),
      key,
      services.onAlarm,
    );
    const items = own.flatMap(({ runId }) =>
      openWorking(
        working.filter((row) => row.runId === runId),
        key,
        services.onAlarm,
      ).map((item) => toItem(runId, item)),
    );
    const last = own.at(-1);
    if (last === undefined || (said.length === 0 && items.length === 0)) return [];
    const at = said.at(-1)?.row.observedAt ?? services.clock.now();
    const source = {
      turns: said.map(({ row, role, content }) => ({ id: row.turnId, role, text: content.text })),
      items,
    };
    return [{ routeId, run: last.runId, outcome: outcomeOf(own), observedAt: at, source }];
  });
}

function toItem(run: RunId, item: ReturnType<typeof openWorking>[number]): DigestItem {
  const text = typeof item.value === "string" ? item.value : JSON.stringify(item.value);
  return { id: `${run}/${item.class}/${item.key}`, class: item.class as DigestItem["class"], text };
}

/** The last run decides, but for one that failed and was never made good by a later one. */
function outcomeOf(runs: readonly SessionRun[]): Outcome {
  const states = runs.map(({ state }) => state);
  const last = states.at(-1);
  if (last === "completed" || last === "failed") return last;
  return states.includes("failed") && !states.includes("completed") ? "failed" : "closed";
}
