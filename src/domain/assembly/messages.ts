import { must } from "../errors.js";
import type { TurnCandidate } from "./candidate.js";
import { withoutTemplateMarks } from "./escape.js";
import type { Line } from "./line.js";
import type { ChatMessage } from "./pack.js";
import type { Page } from "./page.js";

/**
 * The pack for chat APIs. System authority has our heading alone: blocks are data in a message of the user's rank.
 * Turns stand as messages of their own roles; a remembered system turn is quoted in its block.
 */
export function toMessages(page: Page, lines: readonly Line[]): readonly ChatMessage[] {
  if (lines.length === 0) return [];
  const firstTurn = lines.findIndex((line) => line.kind === "turn");
  const stable = firstTurn < 0 ? lines : lines.slice(0, firstTurn);
  const volatile =
    firstTurn < 0 ? [] : lines.slice(firstTurn).filter((line) => line.kind !== "turn");
  const turns = turnMessages(
    lines.filter((line) => line.kind === "turn"),
    page,
  );
  // What the user said last stays last: it is what the model answers.
  const last = turns.at(-1)?.role === "user" ? -1 : turns.length;
  return [
    { role: "system", content: page.heading.trimEnd() },
    ...quoted(stable, page),
    ...turns.slice(0, last),
    ...quoted(volatile, page),
    ...turns.slice(last),
  ];
}

function quoted(lines: readonly Line[], page: Page): readonly ChatMessage[] {
  return lines.length === 0
    ? []
    : [
        {
          role: "user",
          content: lines
            .map((line) => page.textOf(line))
            .join("")
            .trimEnd(),
        },
      ];
}

/** Turns come in whole units, so parallel calls stand side by side and their results right after them. */
function turnMessages(lines: readonly Line[], page: Page): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  let calls: TurnCandidate[] = [];
  for (const [index, line] of lines.entries()) {
    const turn = must(line.turn, "turn of a line");
    if (turn.role === "tool_call") {
      calls.push(turn);
      if (lines[index + 1]?.turn?.role === "tool_call") continue;
      messages.push({ role: "assistant", content: null, tool_calls: calls.map(toolCall) });
      calls = [];
    } else if (turn.role === "tool_result") {
      messages.push({
        role: "tool",
        tool_call_id: must(turn.callId, "call id"),
        content: withoutTemplateMarks(turn.text),
      });
    } else if (turn.role === "system") {
      messages.push(...quoted([line], page));
    } else {
      messages.push({ role: turn.role, content: withoutTemplateMarks(turn.text) });
    }
  }
  return messages;
}

function toolCall(turn: TurnCandidate) {
  return {
    id: must(turn.callId, "call id"),
    type: "function",
    function: { name: turn.tool ?? "tool", arguments: withoutTemplateMarks(turn.text) },
  } as const;
}
