import type { SubjectKind } from "../../domain/archive.js";
import { RETURN_RULES } from "../../domain/erasure-rules.js";
import { must } from "../../domain/errors.js";
import type { SubjectId, WorkspaceId } from "../../domain/ids.js";
import type { LedgerKey } from "../../domain/ledger.js";
import type {
  ForgottenElsewhere,
  ForgottenPart,
} from "../../storage/queries/erasure-list-parts.js";
import type { TombstoneRow } from "../../storage/queries/tombstone-find.js";
import { itemMacs } from "../item-macs.js";
import type { Accepted, Parsed } from "./accept-lines.js";
import { skipped } from "./line-replies.js";
import { sinceOf } from "./line-since.js";

/**
 * What is made of a person's words. A line of these doesn't show what it was made of: where something of the person was
 * forgotten since, it doesn't come in.
 */
const DERIVED: ReadonlySet<SubjectKind> = new Set([
  "working",
  "checkpoint",
  "escalation",
  "episode",
  "observation",
  "trace",
  "candidate",
  "promotion",
  "field_value",
]);

/**
 * By what tombstones know the chats, sources and texts of lines, as each of these subjects', by the lines' places in their
 * batch.
 */
export class LineItems {
  readonly #byPlace: ReadonlyMap<number, readonly string[]>;

  constructor(
    key: LedgerKey,
    subjects: readonly SubjectId[],
    workspaces: ReadonlyMap<string, WorkspaceId>,
    lines: readonly Accepted[],
  ) {
    const macsOf = (one: Accepted) => {
      const workspace = workspaces.get(String(one.line.workspace));
      if (workspace === undefined) return [];
      const items = itemsOf(one);
      return subjects.flatMap((subject) => itemMacs(key, { subject, workspace }, items));
    };
    this.#byPlace = new Map(lines.map((one) => [one.index, macsOf(one)]));
  }

  get all(): readonly Uint8Array[] {
    const macs = new Set([...this.#byPlace.values()].flat());
    return [...macs].map((mac) => Buffer.from(mac, "base64"));
  }

  of({ index }: Accepted): readonly string[] {
    return must(this.#byPlace.get(index), "the items of a line");
  }
}

function itemsOf({ codec, line }: Accepted): Parameters<typeof itemMacs>[2] {
  if (codec.kind === "session") return { sessions: [line.session as string] };
  if (codec.kind === "event") return { sources: [line.source as string] };
  if (codec.kind !== "turn") return {};
  const { text } = line.content as { readonly text: string };
  return { sources: typeof line.source === "string" ? [line.source] : [], contents: [text] };
}

/** Whether a line is of what was forgotten of somebody who stayed. */
export function isBarred(
  accepted: Accepted,
  idOf: (id: string) => string,
  items: LineItems,
  tombstones: readonly TombstoneRow[],
  parts: readonly ForgottenPart[],
): boolean {
  const { codec, line } = accepted;
  const since = sinceOf(accepted);
  const given = line[codec.table.key[0] ?? ""];
  const id = typeof given === "string" ? idOf(given) : null;
  const macs = new Set(items.of(accepted));
  const isItem = tombstones.some(
    ({ itemMac, reason, recordedAt }) =>
      macs.has(Buffer.from(itemMac).toString("base64")) &&
      !RETURN_RULES[reason].takes({
        observedAt: since,
        forgottenAt: recordedAt,
      }),
  );
  return isItem || parts.some((part) => isOfPart(accepted, id, part));
}

function isOfPart(
  accepted: Accepted,
  id: string | null,
  { target, requestedAt }: Pick<ForgottenPart, "target" | "requestedAt">,
): boolean {
  if (target === id) return true;
  return sinceOf(accepted) <= requestedAt && DERIVED.has(accepted.codec.kind);
}

/** Lines that were forgotten where the archive is from, apart from the others: by ids that they have there. */
export function splitForgottenElsewhere(
  lines: readonly Accepted[],
  forgotten: readonly ForgottenElsewhere[],
): Parsed {
  const isForgotten = (one: Accepted) => {
    const { codec, line } = one;
    const id = line[codec.table.key[0] ?? ""];
    return forgotten.some((erasure) =>
      erasure.scope === "subject"
        ? !RETURN_RULES[erasure.reason].takes({
            observedAt: sinceOf(one),
            forgottenAt: erasure.requestedAt,
          })
        : isOfPart(one, typeof id === "string" ? id : null, erasure),
    );
  };
  return {
    accepted: lines.filter((one) => !isForgotten(one)),
    rest: lines.filter(isForgotten).map((one) => skipped(one, "erased")),
  };
}
