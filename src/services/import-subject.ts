import { uuidv7 } from "uuidv7";
import { parseSubjectLine, type SubjectLine } from "../domain/archive.js";
import { invalid } from "../domain/fields.js";
import { trustedId } from "../domain/ids.js";
import { listForgottenOf } from "../storage/queries/erasure-list-parts.js";
import { findTombstones } from "../storage/queries/tombstone-find.js";
import { type Accepted, checkLines, type Parsed, parseLines } from "./archive/accept-lines.js";
import { splitForgottenElsewhere, splitKnown } from "./archive/barred-lines.js";
import { splitErased } from "./archive/erased-lines.js";
import { idsOf, type Landing, landLines } from "./archive/land-lines.js";
import { LineItems, workspacesOf } from "./archive/line-items.js";
import { type LineReply, type LineTally, tally } from "./archive/line-replies.js";
import { knownMemory } from "./archive/people.js";
import { definitionsFor } from "./archive/rely.js";
import type { Caller } from "./caller.js";
import { personMac } from "./erased-rows.js";
import { govern } from "./govern.js";
import { importSubjectInput } from "./inputs/archive.js";
import { parseInput } from "./inputs/parse.js";
import { macText } from "./item-macs.js";
import { KnownTombstones } from "./known-tombstones.js";
import type { DecisionReply, Operation } from "./operation.js";
import type { Services } from "./services.js";
import { namedSubject, settleSubject } from "./settle.js";
import type { KnownSubject } from "./subjects.js";

export interface ImportSubjectReply extends LineTally {
  /** What became of each line, in the order of the request. */
  readonly lines: readonly LineReply[];
  readonly decision: DecisionReply;
}

/**
 * Takes in lines of one person's archive. Whose they become is said by the path, and under which tenant by the credential:
 * nothing of a line can change either. A line that is here already adds nothing, so a broken-off import is simply sent again.
 */
export function importSubject(
  services: Services,
  caller: Caller,
  subjectId: string,
  body: unknown,
): Promise<ImportSubjectReply> {
  return govern(services, caller, "import_subject", async (op) => {
    const { subject: given, lines } = parseInput(importSubjectInput, body);
    const from = parseSubjectLine(given, "subject");
    if (from.subject !== subjectId.normalize("NFC"))
      throw invalid("subject", "is about somebody else than the path");
    const parsed = parseLines(lines, from);
    const definitions = await definitionsFor(op, parsed.accepted);
    const checked = checkLines(parsed.accepted, definitions, {
      now: op.now,
      projections: services.projections,
    });
    const person = await personMac(op, from.subject);
    const left = await withoutForgotten(op, person, from, checked.accepted);
    const landed =
      left.accepted.length === 0
        ? await landNothing(op, from)
        : await land(op, { from, definitions, person }, left.accepted);
    const replies = [...parsed.rest, ...checked.rest, ...left.rest, ...landed].toSorted(
      (a, b) => a.index - b.index,
    );
    return { ...tally(replies), lines: replies, decision: op.decision() };
  });
}

/**
 * Lines apart that are skipped anyway, before anybody is made for them: of who was forgotten, who claimed a time ahead, or
 * whoever the archive is about and goes by another name here. The transaction that writes looks for tombstones again.
 */
async function withoutForgotten(
  op: Operation<"import_subject">,
  person: Uint8Array,
  { subject, subject_id }: SubjectLine,
  lines: readonly Accepted[],
): Promise<Parsed> {
  const { services, caller, now } = op;
  const isAtHome = (await namedSubject(op, subject))?.subject === subject_id;
  const ledgerKey = await services.keyring.ledger.key(caller.principal.tenant);
  const workspaces = await workspacesOf(op, lines);
  const items = new LineItems(ledgerKey, [macText(person)], workspaces, lines);
  const permit = services.policy.resolvePermit(caller.principal, now);
  const [[ofPerson], ofItems, elsewhere] = await services.store.transact(permit, (tx) =>
    tx.commit([
      findTombstones(permit, "subject", [person]),
      findTombstones(permit, "item", items.all),
      listForgottenOf(
        permit,
        subject_id,
        idsOf(lines, (id) => id),
      ),
    ]),
  );
  const left = splitErased(lines, ofPerson);
  const ahead = splitKnown(left.accepted, items, new KnownTombstones(ofItems));
  const other = splitForgottenElsewhere(ahead.accepted, isAtHome ? [] : elsewhere);
  return { accepted: other.accepted, rest: [...left.rest, ...ahead.rest, ...other.rest] };
}

type Asked = Pick<KnownSubject, "subject" | "keyId">;
const ask = ({ subject, keyId }: Asked) =>
  ({ resource: { type: "memory", subject, keyId }, context: {} }) as const;

/** A request in which no line could be taken is decided and leaves its trace all the same. Nobody is made for it. */
async function landNothing(
  op: Operation<"import_subject">,
  from: SubjectLine,
): Promise<readonly LineReply[]> {
  const nobody = {
    subject: trustedId<"SubjectId">(uuidv7()),
    keyId: trustedId<"KeyId">(uuidv7()),
  };
  const { resource, context } = ask((await namedSubject(op, from.subject)) ?? nobody);
  const permit = op.permit(resource, context);
  await op.services.store.transact(permit, (tx) => tx.commit([op.audit(permit, {})]));
  return [];
}

async function land(
  op: Operation<"import_subject">,
  { from, ...landing }: Omit<Landing, "subject">,
  accepted: readonly Accepted[],
): Promise<readonly LineReply[]> {
  const subject = await settleSubject(op, from.subject, ask);
  const { resource } = knownMemory(op, from.subject, subject);
  const permit = op.permit(resource, {});
  return await landLines(op, permit, { subject, from, ...landing }, accepted);
}
