import { isObject } from "../../domain/fields.js";
import { PRINCIPAL_KINDS } from "../../domain/principal.js";

/** Text of the person's own as a quotation: whatever is in it stays text, and no link, picture or code. */
export function quoted(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`[\]]/g, "\\$&")
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((row) => `> ${row}`)
    .join("\n");
}

export function plain(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Lists of ids of our own rows, which say nothing to a person. */
const OURS: ReadonlySet<string> = new Set(["turn_ids", "working"]);

/**
 * A value as a person reads it: a line a name, without what is empty; what is a text and no more is that alone. Nothing
 * where all of it is empty.
 */
export function told(value: unknown, between = "\n"): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((one) => told(one, ", ")).join("; ");
  if (!isObject(value)) return plain(value);
  const names = Object.entries(value).filter(
    ([name, one]) => !isEmpty(one) && !(OURS.has(name) && Array.isArray(one)),
  );
  if (names.length === 1 && typeof value.text === "string") return value.text;
  return names
    .map(([name, one]) => `${name.replaceAll("_", " ")}: ${told(one, ", ")}`)
    .join(between);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

export function day(value: unknown): string {
  return String(value)
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");
}

export function until(value: unknown): string {
  return value === null ? "until it is deleted" : `until ${day(value)}`;
}

const KINDS: Readonly<Record<(typeof PRINCIPAL_KINDS)[number], string>> = {
  human: "a person",
  service: "a service",
  agent: "an agent",
  job: "a job of the memory's own",
};

/** Who acted, by kind and name: of an agent the kind alone, since its id is our run's. */
export function who(actor: unknown): string {
  const [, kind = "", name = ""] = /^([a-z]+):(.*)$/s.exec(plain(actor)) ?? [];
  const known = PRINCIPAL_KINDS.find((one) => one === kind);
  if (known === undefined) return plain(actor);
  return known === "agent" ? KINDS.agent : `${name} (${KINDS[known]})`;
}
