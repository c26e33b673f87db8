import { isObject, type Json, type Parsed, present } from "./row.js";

/** True for a LoCoMo file's content: samples with a conversation of dated sessions. */
export function isLocomo(value: unknown): boolean {
  const [first] = Array.isArray(value) ? value : [value];
  return isObject(first) && "sample_id" in first && isObject(first.conversation);
}

/**
 * The turns of LoCoMo samples. Each sample is a subject (`sample_id`) and the people in it are speakers. With a subject
 * that is given for all of them, sessions and source ids carry their sample, because they are unique within a sample
 * alone.
 */
export function locomoRows(value: unknown, given: string | null): readonly Parsed[] {
  const samples: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isShared = given !== null && samples.length > 1;
  return samples.flatMap((sample, index): readonly Parsed[] => {
    const place = `sample ${index + 1}`;
    if (!isObject(sample)) return [{ place, field: "sample", message: "isn't an object" }];
    const { sample_id, conversation } = sample;
    if (typeof sample_id !== "string")
      return [{ place, field: "sample_id", message: "must be a string" }];
    if (!isObject(conversation))
      return [{ place, field: "conversation", message: "isn't an object" }];
    const prefix = isShared ? `${sample_id}/` : "";
    const names = { subject: given ?? sample_id, prefix };
    return sessionNumbers(conversation).flatMap((number) =>
      sessionRows(conversation, number, names),
    );
  });
}

interface Names {
  readonly subject: string;
  readonly prefix: string;
}

function sessionNumbers(conversation: Json): readonly number[] {
  return Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

function sessionRows(conversation: Json, number: number, names: Names): readonly Parsed[] {
  const { subject, prefix } = names;
  const session = `session_${number}`;
  const turns = conversation[session];
  const place = `${subject} ${session}`;
  if (!Array.isArray(turns)) return [{ place, field: session, message: "isn't a list" }];
  const observedAt = sessionTime(conversation[`${session}_date_time`]);
  return turns.map((turn: unknown, index): Parsed => {
    const at = `${place} turn ${index + 1}`;
    if (!isObject(turn)) return { place: at, field: "turn", message: "isn't an object" };
    const { dia_id, speaker, text, blip_caption } = turn;
    const shared = typeof blip_caption === "string" ? ` [shared image: ${blip_caption}]` : "";
    return {
      place: at,
      subject,
      row: present({
        session: `${prefix}${session}`,
        source_id: typeof dia_id === "string" ? `${prefix}${dia_id}` : dia_id,
        role: "user",
        speaker,
        text: typeof text === "string" ? `${text}${shared}` : text,
        observed_at: observedAt ?? undefined,
      }),
    };
  });
}

const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];

const SESSION_TIME = /^(\d{1,2}):(\d{2}) ?(am|pm) on (\d{1,2}) ([a-z]+), (\d{4})$/i;

/** `1:56 pm on 8 May, 2023`, taken as UTC, or null. */
export function sessionTime(text: unknown): string | null {
  const found = typeof text === "string" ? SESSION_TIME.exec(text.trim()) : null;
  if (found === null) return null;
  const [, hour = "", minute = "", half = "", day = "", month = "", year = ""] = found;
  const monthIndex = MONTHS.indexOf(month.toLowerCase());
  const isTime = Number(hour) >= 1 && Number(hour) <= 12 && Number(minute) < 60;
  if (monthIndex < 0 || !isTime) return null;
  const hours = (Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  const time = new Date(Date.UTC(Number(year), monthIndex, Number(day), hours, Number(minute)));
  // 31 April would become 1 May.
  return time.getUTCDate() === Number(day) ? time.toISOString() : null;
}
