import type { SubjectId, WorkspaceId } from "../domain/ids.js";
import type { LedgerKey } from "../domain/ledger.js";

/** Whose they are, and in which workspace: another one has sessions and sources of its own. */
export interface ItemPlace {
  readonly subject: SubjectId;
  readonly workspace: WorkspaceId;
}

/** What of a subject is recognised when it comes again. */
export interface Items {
  readonly sessions?: readonly string[];
  readonly sources?: readonly string[];
  readonly contents?: readonly string[];
}

/**
 * By what a tombstone knows sessions, sources and texts of one subject: the same of somebody else is another. Base64, each
 * once.
 */
export function itemMacs(
  key: LedgerKey,
  { subject, workspace }: ItemPlace,
  items: Items,
): readonly string[] {
  const { sessions = [], sources = [], contents = [] } = items;
  const macs = [
    ...sessions.map((id) => key.mac("source", JSON.stringify([subject, workspace, "session", id]))),
    ...sources.map((id) => key.mac("source", JSON.stringify([subject, workspace, "source", id]))),
    ...contents.map((text) =>
      key.mac("content", JSON.stringify([subject, workspace, normalised(text)])),
    ),
  ];
  return [...new Set(macs)];
}

/** A text without what a copy of it loses or gains: case, compatibility forms, white space. */
function normalised(text: string): string {
  return text.normalize("NFKC").toLowerCase().normalize("NFKC").replaceAll(/\s+/g, " ").trim();
}
