import type { SubjectLine } from "../../domain/archive.js";
import { must } from "../../domain/errors.js";
import { isUuid } from "../../domain/ids.js";
import { LIMITS } from "../../domain/limits.js";
import type { Permit } from "../../domain/permit.js";
import { type DimensionRow, listDimensions } from "../../storage/queries/dimension-find.js";
import { listForgottenParts } from "../../storage/queries/erasure-list-parts.js";
import { listCorrectable } from "../../storage/queries/observation-list-corrected.js";
import { takeRevisions } from "../../storage/queries/subject-import.js";
import { findTombstones } from "../../storage/queries/tombstone-find.js";
import { findCitedTurns } from "../../storage/queries/turn-find-cited.js";
import type { TurnRow } from "../../storage/queries/turn-list-by-session.js";
import { macText } from "../item-macs.js";
import { KnownTombstones } from "../known-tombstones.js";
import { openObservations, type SealedObservation } from "../observation-reading.js";
import type { Operation } from "../operation.js";
import type { Services } from "../services.js";
import type { KnownSubject } from "../subjects.js";
import { openTurns } from "../turn-reading.js";
import type { Accepted } from "./accept-lines.js";
import { barredBy } from "./barred-lines.js";
import { Corrected } from "./corrected.js";
import { splitErased } from "./erased-lines.js";
import { ledgerHolds } from "./hold-lines.js";
import { LineItems, workspacesOf } from "./line-items.js";
import type { LineReply } from "./line-replies.js";
import { idsFor, type RowMaking } from "./make-row.js";
import { checkObservations, citedIn, correctingRoutes, type Held } from "./observation-lines.js";
import type { Definitions } from "./rely.js";
import { SUBJECT_CODECS } from "./subject-codecs.js";
import { lineRow, madeHolds, writeLines } from "./write-lines.js";

/** Whom lines come to, and from where. */
export interface Landing {
  readonly subject: KnownSubject;
  readonly from: SubjectLine;
  readonly definitions: Definitions;
  /** By what a tombstone knows the person. */
  readonly person: Uint8Array;
}

/** Writes lines of one person in one transaction, each as the row that it is here. */
export async function landLines(
  op: Operation<"import_subject">,
  permit: Permit<"import_subject">,
  landing: Landing,
  given: readonly Accepted[],
): Promise<readonly LineReply[]> {
  const { services } = op;
  const { subject, from, person } = landing;
  const workspaces = await workspacesOf(op, given);
  const making = makingOf(permit, landing, workspaces);
  const { idOf, names } = making;
  const ledgerKey = await services.keyring.ledger.key(permit.scope.tenant);
  // What was forgotten of whom the archive is about is so under whatever name it comes.
  const people = [...new Set([subject.subject, from.subject_id, macText(person)])];
  const items = new LineItems(ledgerKey, people, workspaces, given);
  return await services.store.transact(permit, async (tx) => {
    const at = new Date(from.created_at);
    const [[advanced], [ofPerson], ofItems, parts, turns, dimensions, observed] = await tx.send([
      takeRevisions(permit, given.length, at),
      findTombstones(permit, "subject", [person]),
      findTombstones(permit, "item", items.all),
      listForgottenParts(permit, idsOf(given, idOf)),
      findCitedTurns(permit, citedIn(given).map(idOf)),
      listDimensions(permit, null, LIMITS.dimensionsMax),
      listCorrectable(permit, correctingRoutes(given)),
    ]);
    const left = splitErased(given, ofPerson);
    const standing = { turns, dimensions, observed };
    const held = heldTo(services, landing, making, standing);
    const { accepted, rest } = checkObservations(left.accepted, held);
    const known = new KnownTombstones(ofItems);
    const before = must(advanced, "subject").revision - given.length;
    const rows = accepted.map((one, place) => {
      const reason = barredBy(one, idOf, items, known, parts);
      return lineRow(one, reason, { ...making, revision: before + place + 1 });
    });
    const landed = await writeLines(tx, permit, rows, names);
    const followed = await ledgerHolds(services, tx, permit, madeHolds(rows, landed));
    await tx.commit([...followed, op.audit(permit, { writes: countsOf(landed) })]);
    return [...landed, ...left.rest, ...rest];
  });
}

type LandMaking = Omit<RowMaking, "revision">;

function makingOf(
  permit: Permit<"import_subject">,
  { subject, from, definitions, person }: Landing,
  workspaces: RowMaking["workspaces"],
): LandMaking {
  return {
    subject,
    key: subject.key,
    permit,
    isAtHome: from.subject_id === subject.subject,
    idOf: idsFor(subject, from.subject_id),
    workspaces,
    names: [],
    route: definitions.route,
    definition: definitions.field,
    person,
  };
}

interface Standing {
  readonly turns: readonly TurnRow[];
  readonly dimensions: readonly DimensionRow[];
  readonly observed: readonly SealedObservation[];
}

/** What observations of the archive are held to: what stands here. */
function heldTo(
  { cues, onAlarm }: Services,
  { subject, from }: Landing,
  { idOf, workspaces }: LandMaking,
  { turns, dimensions, observed }: Standing,
): Held {
  const corrected = openObservations(observed, subject.key, onAlarm);
  return {
    cues,
    subject: from.subject,
    idOf,
    turns: openTurns(turns, subject.key, onAlarm),
    defined: dimensions.map(({ definition }) => definition),
    corrected: new Corrected(corrected, workspaces, idOf),
  };
}

/** How many lines of each kind came in. */
function countsOf(landed: readonly LineReply[]) {
  const imported = landed.filter(({ status }) => status === "imported");
  return SUBJECT_CODECS.map(({ kind }) => ({
    kind,
    ids: [],
    count: imported.filter((line) => line.kind === kind).length,
  })).filter(({ count }) => count > 0);
}

/** Ids under which lines would stand, where they have one of their own. */
export function idsOf(given: readonly Accepted[], idOf: (id: string) => string): readonly string[] {
  return given.flatMap(({ codec, line }) => {
    const id = line[codec.table.key[0] ?? ""];
    return isUuid(id) ? [idOf(id)] : [];
  });
}
