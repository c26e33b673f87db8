import type { TurnCandidate } from "./candidate.js";
import type { DroppedReason } from "./pack.js";

export interface Orphan {
  readonly turn: TurnCandidate;
  readonly why: Extract<DroppedReason, "call_without_result" | "result_without_call">;
}

export interface PairedTurns {
  /** What stays or goes together, oldest first: one utterance, or parallel tool calls followed by their results. */
  readonly units: readonly (readonly TurnCandidate[])[];
  readonly orphans: readonly Orphan[];
}

/** Ties tool results to their calls. A call or a result that stands alone is an orphan: chat APIs refuse it. */
export function pairTurns(turns: readonly TurnCandidate[]): PairedTurns {
  const inOrder = [...turns].sort((a, b) => a.seq - b.seq);
  const resultOf = matchResults(inOrder);
  const matched = new Set(resultOf.values());
  const units: TurnCandidate[][] = [];
  const orphans: Orphan[] = [];
  let calls: TurnCandidate[] = [];
  const closeCalls = (): void => {
    if (calls.length > 0)
      units.push([...calls, ...calls.flatMap((call) => resultOf.get(call) ?? [])]);
    calls = [];
  };
  for (const turn of inOrder) {
    if (turn.role === "tool_call") {
      if (resultOf.has(turn)) calls.push(turn);
      else orphans.push({ turn, why: "call_without_result" });
      continue;
    }
    if (turn.role === "tool_result" && !matched.has(turn)) {
      orphans.push({ turn, why: "result_without_call" });
      continue;
    }
    closeCalls();
    if (turn.role !== "tool_result") units.push([turn]);
  }
  closeCalls();
  return { units, orphans };
}

/** The result of each call: the first one after it with its id. An id that is used again belongs to the later call. */
function matchResults(
  inOrder: readonly TurnCandidate[],
): ReadonlyMap<TurnCandidate, TurnCandidate> {
  const open = new Map<string, TurnCandidate>();
  const resultOf = new Map<TurnCandidate, TurnCandidate>();
  for (const turn of inOrder) {
    if (turn.callId === undefined) continue;
    if (turn.role === "tool_call") open.set(turn.callId, turn);
    if (turn.role !== "tool_result") continue;
    const call = open.get(turn.callId);
    if (call === undefined) continue;
    resultOf.set(call, turn);
    open.delete(turn.callId);
  }
  return resultOf;
}
