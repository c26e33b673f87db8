import { type Defaults, isObject, type Json, type Parsed, present } from "./row.js";

/**
 * Chats as chat APIs have them: a message array, `{messages: [...]}`, or a list of those. Each chat is a session; its
 * tool calls and results are turns of their own.
 */
export function openaiRows(value: unknown, defaults: Defaults): readonly Parsed[] {
  if (isObject(value)) return chatRows(value, defaults);
  if (!Array.isArray(value)) return [{ place: "file", field: "messages", message: "isn't a list" }];
  if (value.some((item) => isObject(item) && Array.isArray(item.messages))) {
    return value.flatMap((chat, index) => {
      const session = `${defaults.session}:${index + 1}`;
      const rows = isObject(chat)
        ? chatRows(chat, { ...defaults, session })
        : [{ place: "", field: "chat", message: "isn't an object" }];
      return rows.map((row) => ({ ...row, place: `chat ${index + 1} ${row.place}`.trim() }));
    });
  }
  return messageRows(value, defaults);
}

function chatRows(chat: Json, defaults: Defaults): readonly Parsed[] {
  const { messages, id, session = id } = chat;
  if (!Array.isArray(messages)) return [{ place: "", field: "messages", message: "isn't a list" }];
  return messageRows(messages, {
    ...defaults,
    session: typeof session === "string" ? session : defaults.session,
  });
}

function messageRows(messages: readonly unknown[], defaults: Defaults): readonly Parsed[] {
  const tools = toolNames(messages);
  return messages.flatMap((message, index): readonly Parsed[] => {
    const place = `message ${index + 1}`;
    if (!isObject(message)) return [{ place, field: "message", message: "isn't an object" }];
    const said = turnsOf(message, index, tools);
    const source = typeof message.id === "string" ? message.id : `${defaults.session}:${index + 1}`;
    return said.map((turn, part) => ({
      place,
      subject: null,
      row: present({
        session: defaults.session,
        source_id: part === 0 ? source : `${source}.${part}`,
        observed_at: timeOf(message) ?? defaults.observedAt ?? defaults.fileTime,
        ...turn,
      }),
    }));
  });
}

/** A message with tool calls is its text, if it has one, and each call. */
function turnsOf(
  message: Json,
  index: number,
  tools: ReadonlyMap<string, string>,
): readonly Json[] {
  const { role, content, name } = message;
  if (role === "tool" || role === "function") {
    const callId = message.tool_call_id ?? `function-${index - 1}`;
    const tool = tools.get(String(callId)) ?? name ?? "tool";
    return [{ role: "tool_result", text: textOf(content), call_id: callId, tool }];
  }
  const calls = callsOf(message, index).map(({ id, called, given }) => ({
    role: "tool_call",
    call_id: id,
    tool: called,
    text: given === "" || given === undefined ? "{}" : given,
  }));
  const text = textOf(content);
  if (calls.length > 0 && (text === undefined || text === "")) return calls;
  return [{ role: role === "developer" ? "system" : role, speaker: name, text }, ...calls];
}

interface Call {
  readonly id: unknown;
  readonly called: unknown;
  readonly given: unknown;
}

function callsOf({ tool_calls, function_call }: Json, index: number): readonly Call[] {
  const calls = Array.isArray(tool_calls) ? tool_calls : [];
  const called = calls.filter(isObject).map((call): Call => {
    const details = isObject(call.function) ? call.function : {};
    return { id: call.id, called: details.name, given: details.arguments };
  });
  if (!isObject(function_call)) return called;
  const { name, arguments: given } = function_call;
  return [...called, { id: `function-${index}`, called: name, given }];
}

/** A result says which call it answers, and not which tool that was. */
function toolNames(messages: readonly unknown[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap((message, index) =>
    isObject(message) ? callsOf(message, index) : [],
  );
  return new Map(calls.map(({ id, called }) => [String(id), String(called)]));
}

/** The text of a content: a string, or the text parts of a list, with a mark where something else stood. */
function textOf(content: unknown): unknown {
  if (content === null) return undefined;
  if (!Array.isArray(content)) return content;
  const parts = content.map((part: unknown) => {
    if (typeof part === "string") return part;
    if (!isObject(part)) return "";
    if (typeof part.text === "string") return part.text;
    return typeof part.type === "string" ? `[${part.type}]` : "";
  });
  return parts.filter((part) => part !== "").join("\n");
}

/** Seconds since the epoch, or an instant as text. */
function timeOf({ created, created_at, timestamp, observed_at }: Json): unknown {
  const time = observed_at ?? created_at ?? timestamp ?? created;
  if (typeof time !== "number") return time;
  const date = new Date(time * 1_000);
  return Number.isNaN(date.getTime()) ? time : date.toISOString();
}
