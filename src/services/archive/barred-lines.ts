import type { SubjectKind } from "../../domain/archive.js";
import { mayReturn } from "../../domain/erasure-rules.js";
import type {
  ForgottenElsewhere,
  ForgottenPart,
} from "../../storage/queries/erasure-list-parts.js";
import type { KnownTombstones } from "../known-tombstones.js";
import type { Accepted, Parsed } from "./accept-lines.js";
import type { LineItems } from "./line-items.js";
import { type SkipReason, skipped } from "./line-replies.js";
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

/** Why a line mayn't come in, where it is of what was forgotten of somebody who stayed. */
export function barredBy(
  accepted: Accepted,
  idOf: (id: string) => string,
  items: LineItems,
  known: KnownTombstones,
  parts: readonly ForgottenPart[],
): SkipReason | null {
  const { codec, line } = accepted;
  const given = line[codec.table.key[0] ?? ""];
  const id = typeof given === "string" ? idOf(given) : null;
  if (!known.letReturn(items.of(accepted), sinceOf(accepted))) return "erased";
  return reasonOf(accepted, id, parts);
}

/** Nothing that follows from others is believed that is from before one of them was forgotten. */
function reasonOf(
  accepted: Accepted,
  id: string | null,
  parts: readonly Pick<ForgottenPart, "target" | "requestedAt">[],
): SkipReason | null {
  if (parts.some(({ target }) => target === id)) return "erased";
  if (!DERIVED.has(accepted.codec.kind)) return null;
  const since = sinceOf(accepted);
  return parts.some(({ requestedAt }) => since <= requestedAt) ? "erased_since" : null;
}

/** Lines whose source or text was forgotten, apart from the others. */
export function splitKnown(
  lines: readonly Accepted[],
  items: LineItems,
  known: KnownTombstones,
): Parsed {
  const isTaken = (one: Accepted) => known.letReturn(items.of(one), sinceOf(one));
  return {
    accepted: lines.filter(isTaken),
    rest: lines.filter((one) => !isTaken(one)).map((one) => skipped(one, "erased")),
  };
}

/** Lines that were forgotten where the archive is from, apart from the others: by ids that they have there. */
export function splitForgottenElsewhere(
  lines: readonly Accepted[],
  forgotten: readonly ForgottenElsewhere[],
): Parsed {
  const whole = forgotten.filter(({ scope }) => scope === "subject");
  const parts = forgotten.filter(({ scope }) => scope !== "subject");
  const reasons = lines.map((one) => {
    const { codec, line } = one;
    const id = line[codec.table.key[0] ?? ""];
    const since = sinceOf(one);
    const isEnded = whole.some(
      ({ reason, requestedAt }) =>
        !mayReturn({ kind: "subject", reason, recordedAt: requestedAt }, since),
    );
    if (isEnded) return "erased";
    return reasonOf(one, typeof id === "string" ? id : null, parts);
  });
  return {
    accepted: lines.filter((_, place) => reasons[place] === null),
    rest: lines.flatMap((one, place) => {
      const reason = reasons[place] ?? null;
      return reason === null ? [] : [skipped(one, reason)];
    }),
  };
}
