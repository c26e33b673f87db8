import type { SubjectId, WorkspaceId } from "../domain/ids.js";
import type { LedgerKey } from "../domain/ledger.js";

/** By what the ledger knows a person, whatever subject they are: the HMAC of their external id, base64. */
export type PersonMac = string;

/** Whose they are, and in which workspace: another one has sessions and sources of its own. Null is all of a person's. */
export interface ItemPlace {
  readonly subject: SubjectId | PersonMac;
  readonly workspace: WorkspaceId | null;
}

/** What of a subject is recognised when it comes again. */
export interface Items {
  readonly sessions?: readonly string[];
  readonly sources?: readonly string[];
  readonly contents?: readonly string[];
  /** Our ids of proposals: that of a source is made of its name, and so the same again. */
  readonly proposals?: readonly string[];
}

/**
 * By what a tombstone knows sessions, sources and texts of one subject: the same of somebody else is another. Base64, each
 * once.
 */
export function itemMacs(key: LedgerKey, place: ItemPlace, items: Items): readonly string[] {
  return macsOf(key, place, items, [normalised]);
}

/** The same with all that tombstones may be made of, to look for what comes again: in every workspace, and as it was once spelt. */
export function everyItemMac(key: LedgerKey, place: ItemPlace, items: Items): readonly string[] {
  const places = [place, { ...place, workspace: null }];
  return places.flatMap((one) => macsOf(key, one, items, [normalised, folded]));
}

function macsOf(
  key: LedgerKey,
  { subject, workspace }: ItemPlace,
  { sessions = [], sources = [], contents = [], proposals = [] }: Items,
  forms: readonly ((text: string) => string)[],
): readonly string[] {
  const macs = [
    // First: a replay looks for them in an erasure's first line.
    ...proposals.map((id) => key.mac("source", JSON.stringify([subject, "proposal", id]))),
    ...sessions.map((id) => key.mac("source", JSON.stringify([subject, workspace, "session", id]))),
    ...sources.map((id) => key.mac("source", JSON.stringify([subject, workspace, "source", id]))),
    ...contents.flatMap((text) => {
      const spellings = new Set(forms.map((form) => form(text)));
      return [...spellings].map((spelling) =>
        key.mac("content", JSON.stringify([subject, workspace, spelling])),
      );
    }),
  ];
  return [...new Set(macs)];
}

/** What is shown as nothing: it makes no other text. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** A text without what a copy of it loses or gains: invisible marks, case, compatibility forms, white space. */
function normalised(text: string): string {
  return folded(text.normalize("NFKC").replaceAll(INVISIBLE, ""));
}

/** The same with its invisible marks: what a tombstone was first made of. */
function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase().normalize("NFKC").replaceAll(/\s+/g, " ").trim();
}

/** MACs as the database takes them, each once. */
export function macBytes(macs: Iterable<string>): readonly Uint8Array[] {
  return [...new Set(macs)].map((mac) => Buffer.from(mac, "base64"));
}

/** An HMAC as the ledger spells it. */
export function macText(mac: Uint8Array): string {
  return Buffer.from(mac).toString("base64");
}
