import { must } from "../../domain/errors.js";
import type { WorkspaceId } from "../../domain/ids.js";
import type { LedgerKey } from "../../domain/ledger.js";
import { everyItemMac, type ItemPlace, type Items, macBytes } from "../item-macs.js";
import type { Operation } from "../operation.js";
import type { Accepted } from "./accept-lines.js";

/**
 * By what tombstones know the chats, sources and texts of lines, as each of these subjects' or persons', by the lines' places in
 * their batch.
 */
export class LineItems {
  readonly #byPlace: ReadonlyMap<number, readonly string[]>;

  constructor(
    key: LedgerKey,
    subjects: readonly ItemPlace["subject"][],
    workspaces: ReadonlyMap<string, WorkspaceId>,
    lines: readonly Accepted[],
  ) {
    const macsOf = (one: Accepted) => {
      const workspace = workspaces.get(String(one.line.workspace));
      if (workspace === undefined) return [];
      const items = itemsOf(one);
      return subjects.flatMap((subject) => everyItemMac(key, { subject, workspace }, items));
    };
    this.#byPlace = new Map(lines.map((one) => [one.index, macsOf(one)]));
  }

  get all(): readonly Uint8Array[] {
    return macBytes([...this.#byPlace.values()].flat());
  }

  of({ index }: Accepted): readonly string[] {
    return must(this.#byPlace.get(index), "the items of a line");
  }
}

function itemsOf({ codec, line }: Accepted): Items {
  if (codec.kind === "session") return { sessions: [line.session as string] };
  if (codec.kind === "event") return { sources: [line.source as string] };
  if (codec.kind !== "turn") return {};
  const { text } = line.content as { readonly text: string };
  return { sources: typeof line.source === "string" ? [line.source] : [], contents: [text] };
}

/** The workspaces that lines name, by their names. */
export async function workspacesOf(
  { services, caller }: Operation<"import_subject">,
  lines: readonly Accepted[],
): Promise<ReadonlyMap<string, WorkspaceId>> {
  const names = new Set(lines.flatMap(({ line }) => (line.workspace as string | undefined) ?? []));
  const found = new Map<string, WorkspaceId>();
  for (const name of names)
    found.set(name, await services.directory.workspace(caller.principal.tenant, name));
  return found;
}
