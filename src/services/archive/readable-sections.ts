import type { ArchiveLine, SubjectKind } from "../../domain/archive.js";
import { day, plain, quoted, told, until, who } from "./readable-text.js";

export interface Section {
  readonly title: string;
  /** What the line says; null where it has nothing that a person could read. */
  readonly entry: (line: ArchiveLine, next: ArchiveLine | null) => string | null;
}

const field = (line: ArchiveLine, name: string): string => plain(line[name]);

/** What was said or kept, and when: without words of its own the second alone. */
function entry(words: string, about: string): string {
  return words === "" ? about : `${quoted(words)}\n\n${about}`;
}

/** Text of a sealed content. */
const textOf = (content: unknown): string => plain((content as { text?: unknown }).text);

/** Versions of a value follow one another: the last of them is the one that stands. */
function isReplaced(line: ArchiveLine, next: ArchiveLine | null): boolean {
  const same = ["kind", "workspace", "field_id", "session_key"];
  return next !== null && same.every((name) => line[name] === next[name]);
}

/** One heading a kind, in the order in which an archive has them. */
export const SECTIONS: Readonly<Record<SubjectKind, Section>> = {
  session: {
    title: "Chats",
    entry: (line) =>
      entry(field(line, "session"), `begun ${day(line.created_at)}, ${field(line, "state")}`),
  },
  run: {
    title: "What was asked for",
    entry: (line) =>
      entry(
        told(line.goal),
        `${day(line.created_at)}, for ${field(line, "route_id")}, ${field(line, "state")}, kept ${until(line.expires_at)}`,
      ),
  },
  working: {
    title: "Notes that were taken while working on it",
    entry: (line) =>
      entry(
        told(line.value),
        `${field(line, "class")}, ${day(line.recorded_at)}, kept ${line.expires_at === null ? "as long as its run" : until(line.expires_at)}`,
      ),
  },
  checkpoint: {
    title: "Where work stands",
    entry: (line) => {
      const value = told(line.value);
      if (value === "") return null;
      return entry(value, `step ${field(line, "step")}, ${day(line.recorded_at)}`);
    },
  },
  escalation: {
    title: "What was handed to a human",
    entry: (line) => {
      const answer = told(line.answer);
      const raised = entry(field(line, "reason"), day(line.raised_at));
      return answer === "" ? raised : `${raised}; the answer:\n\n${quoted(answer)}`;
    },
  },
  turn: {
    title: "What was said",
    entry: (line) =>
      entry(
        textOf(line.content),
        `${line.speaker === null ? field(line, "role") : field(line, "speaker")}, ${day(line.observed_at)}, kept ${line.evidence_until === null ? "as long as its chat" : until(line.evidence_until)}`,
      ),
  },
  event: {
    title: "What connected systems reported",
    entry: (line) =>
      entry(
        told(line.body),
        `${field(line, "event_kind")}, ${field(line, "source")}, since ${day(line.effective_at)}`,
      ),
  },
  episode: {
    title: "What conversations came to",
    entry: (line) =>
      entry(told(line.summary), `${day(line.observed_at)}, kept ${until(line.expires_at)}`),
  },
  observation: {
    title: "What was noticed",
    entry: (line) =>
      entry(
        textOf(line.body),
        `${field(line, "dimension_id")}, ${field(line, "basis")}, ${day(line.observed_at)}, kept ${until(line.expires_at)}`,
      ),
  },
  trace: {
    title: "What was done",
    entry: (line) =>
      entry(
        told(line.facts),
        `${field(line, "outcome")} (${field(line, "terminal_reason")}), ${day(line.recorded_at)}, kept ${until(line.expires_at)}`,
      ),
  },
  candidate: {
    title: "What was proposed to be remembered",
    entry: (line) =>
      entry(
        `${field(line, "field_id")}: ${field(line, "value")}`,
        `${field(line, "state")}, proposed by ${who(line.proposer)}, ${day(line.created_at)}`,
      ),
  },
  promotion: {
    title: "Who decided on what is remembered",
    entry: (line) =>
      entry(
        `${field(line, "field_id")}: ${decided(line)}`,
        `decided by ${who(line.actor)} (${field(line, "rule")}), ${day(line.recorded_at)}`,
      ),
  },
  field_value: {
    title: "What is remembered, and was before",
    entry: (line, next) =>
      entry(
        `${field(line, "field_id")}: ${line.removed ? "removed" : field(line, "value")}`,
        `${isReplaced(line, next) ? "no longer: another took its place" : "stands now"}; source ${field(line, "source")}, ${day(line.updated_at)}, kept ${until(line.expires_at)}`,
      ),
  },
  hold: {
    title: "What may not be erased yet",
    entry: (line) =>
      `${line.scope === "subject" ? "everything" : `one ${field(line, "scope")}`}, since ${day(line.placed_at)}${line.released_at === null ? "" : `, released ${day(line.released_at)}`}`,
  },
};

function decided(line: ArchiveLine): string {
  if (line.removed === null) return "a value that is gone";
  return line.removed ? "removed" : field(line, "value");
}
