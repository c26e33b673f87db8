import type { ErasureReason } from "../erasure.js";
import type { DroppedReason, KeptReason, Manifest, ManifestEntry } from "./pack.js";

export interface Explained extends ManifestEntry {
  /** Whether the pack held it, as it was made. */
  readonly in: boolean;
  /** Why something of its source was forgotten since; null where it wasn't. */
  readonly forgotten: ErasureReason | null;
  /** The reason as a sentence. */
  readonly reason: string;
}

const KEPT: Readonly<Record<KeptReason, string>> = {
  required: "in: its kind is never dropped",
  fits: "in: it fits below the token cap",
};

const DROPPED: Readonly<Record<DroppedReason, string>> = {
  over_cap: "out: it doesn't fit below the token cap, and its kind or age goes first",
  call_without_result: "out: a tool call without its result",
  result_without_call: "out: a tool result without its call",
  already_a_turn: "out: recalled, but already among the turns of the conversation",
  outgrown: "out: its field was defined anew and wouldn't take the value any more",
};

const REASONS: Readonly<Record<KeptReason | DroppedReason, string>> = { ...KEPT, ...DROPPED };

/** Says for each candidate of a stored pack why it is in or out, and which were forgotten since, by the id of a source. */
export function explainManifest(
  manifest: Manifest,
  forgottenSince: ReadonlyMap<string, ErasureReason> = new Map(),
): readonly Explained[] {
  return manifest.entries.map((entry) => {
    const [forgotten = null] = entry.source.flatMap((id) => forgottenSince.get(id) ?? []);
    return {
      ...entry,
      in: entry.why in KEPT,
      forgotten,
      reason: forgotten === null ? REASONS[entry.why] : `forgotten since: \`${forgotten}\``,
    };
  });
}
