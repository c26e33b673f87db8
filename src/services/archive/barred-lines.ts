import type { SubjectKind } from "../../domain/archive.js";
import { RETURN_RULES } from "../../domain/erasure-rules.js";
import type {
  ForgottenElsewhere,
  ForgottenPart,
} from "../../storage/queries/erasure-list-parts.js";
import type { KnownTombstones } from "../known-tombstones.js";
import type { Accepted, Parsed } from "./accept-lines.js";
import type { LineItems } from "./line-items.js";
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

/** Whether a line is of what was forgotten of somebody who stayed. */
export function isBarred(
  accepted: Accepted,
  idOf: (id: string) => string,
  items: LineItems,
  known: KnownTombstones,
  parts: readonly ForgottenPart[],
): boolean {
  const { codec, line } = accepted;
  const since = sinceOf(accepted);
  const given = line[codec.table.key[0] ?? ""];
  const id = typeof given === "string" ? idOf(given) : null;
  const isItem = !known.letReturn(items.of(accepted), since);
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

/** Lines whose source or text was forgotten, apart from the others. */
export function splitKnown(
  lines: readonly Accepted[],
  items: LineItems,
  known: KnownTombstones,
): Parsed {
  const mayReturn = (one: Accepted) => known.letReturn(items.of(one), sinceOf(one));
  return {
    accepted: lines.filter(mayReturn),
    rest: lines.filter((one) => !mayReturn(one)).map((one) => skipped(one, "erased")),
  };
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
