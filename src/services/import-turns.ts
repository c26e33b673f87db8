import { uuidv7 } from "uuidv7";
import { hoursAfter } from "../domain/clock.js";
import { trustedId } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import type { Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import type { RouteRow } from "../storage/queries/route-find.js";
import { findRunBySession } from "../storage/queries/run-find-by-session.js";
import { touchEvidence } from "../storage/queries/subject-touch.js";
import { findTombstones } from "../storage/queries/tombstone-find.js";
import { insertEvidence } from "../storage/queries/turn-insert.js";
import { subjectScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";
import type { Caller } from "./caller.js";
import { evidenceClock } from "./clocks.js";
import type { Effects } from "./effects.js";
import { itemsOf, personMac, splitErased, splitForgotten, withoutErased } from "./erased-rows.js";
import { govern } from "./govern.js";
import { type AcceptedRow, type ImportRowReply, parseRows } from "./import-rows.js";
import { importRun } from "./import-run.js";
import { importInput } from "./inputs/pack.js";
import { parseInput } from "./inputs/parse.js";
import { macText } from "./item-macs.js";
import type { DecisionReply, Operation } from "./operation.js";
import { latestRoute } from "./routes.js";
import type { Services } from "./services.js";
import { type Ask, namedSubject, type Settled, settle } from "./settle.js";
import { writeTurns } from "./turn-writing.js";

export interface ImportReply {
  readonly imported: number;
  readonly duplicates: number;
  readonly refused: number;
  /** Forgotten, and not taken again: each says why. */
  readonly skipped: number;
  readonly rows: readonly ImportRowReply[];
  readonly decision: DecisionReply;
}

/**
 * Takes in turns of past sessions, as evidence alone: no session shows them as its conversation. One transaction a session;
 * a row whose source is there already adds nothing, so a broken-off import is simply sent again.
 */
export function importTurns(
  services: Services,
  caller: Caller,
  subjectId: string,
  body: unknown,
): Promise<ImportReply> {
  return govern(services, caller, "import_turns", async (op) => {
    const subject = parseExternalId(subjectId, "subject");
    const input = parseInput(importInput, body);
    const parsed = parseRows(input.rows);
    const route = await latestRoute(services, caller.principal, input.route_id);
    const person = await personMac(op, subject);
    const isKnown = (await namedSubject(op, subject)) !== null;
    const { bySession, skipped } = isKnown
      ? { ...parsed, skipped: [] }
      : await withoutErased(op, person, parsed.bySession);
    const rows = [...parsed.refused, ...skipped];
    const ask = ({ subject: id, keyId }: Pick<Pin, "subject" | "keyId">) => ({
      resource: { type: "subject" as const, subject: id, keyId, route: route.definition },
      context: {},
    });
    if (bySession.size === 0) await importNothing(op, subject, ask);
    for (const [place, [session, accepted]] of [...bySession].entries()) {
      const settled = await settle(op, subject, session, ask);
      const { resource, context } = ask(settled.subject);
      const permit = op.permit(resource, context);
      // The reply names the first of them.
      const audit = (effects: Effects) =>
        place === 0 ? op.audit(permit, effects) : op.auditStep(permit, effects);
      rows.push(...(await importSession(op, permit, audit, { route, settled, person, accepted })));
    }
    const count = (status: ImportRowReply["status"]) =>
      rows.filter((row) => row.status === status).length;
    return {
      imported: count("imported"),
      duplicates: count("duplicate"),
      refused: count("refused"),
      skipped: count("skipped"),
      rows: rows.toSorted((a, b) => a.index - b.index),
      decision: op.decision(),
    };
  });
}

/** A batch in which no row could be taken is decided and leaves its trace all the same. Nothing is made for it. */
async function importNothing(
  op: Operation<"import_turns">,
  subjectId: string,
  ask: Ask<"import_turns">,
): Promise<void> {
  const known = await namedSubject(op, subjectId);
  const place = known ?? {
    subject: trustedId<"SubjectId">(uuidv7()),
    keyId: trustedId<"KeyId">(uuidv7()),
  };
  const { resource, context } = ask({ ...place, session: trustedId<"SessionId">(uuidv7()) });
  const permit = op.permit(resource, context);
  await op.services.store.transact(permit, (tx) => tx.commit([op.audit(permit, {})]));
}

interface SessionImport {
  readonly route: RouteRow;
  readonly settled: Settled;
  /** By what a tombstone knows the person. */
  readonly person: Uint8Array;
  readonly accepted: readonly AcceptedRow[];
}

async function importSession(
  op: Operation<"import_turns">,
  permit: Permit<"import_turns">,
  audit: (effects: Effects) => Statement,
  { route, settled, person, accepted }: SessionImport,
): Promise<readonly ImportRowReply[]> {
  const { services, caller } = op;
  const { session } = settled;
  const { key } = settled.subject;
  const scope = { ...subjectScope(permit), session };
  const { tenant, claims } = caller.principal;
  const { evidenceDays } = await services.directory.tenant(claims.tenant);
  const asPerson = { ...scope, subject: macText(person) };
  const items = itemsOf(await services.keyring.ledger.key(tenant), [scope, asPerson], accepted);
  return await services.store.transact(permit, async (tx) => {
    // Holds the subject's row first: who forgets something of it is waited for, and then seen.
    const [, [known], [tombstone], forgotten] = await tx.send([
      touchEvidence(scope, accepted.length),
      findRunBySession(permit, session, route.routeId),
      findTombstones(permit, "subject", [person]),
      findTombstones(permit, "item", items.all),
    ]);
    const { pin, statements } = importRun(permit, route, settled, known);
    const byPerson = splitErased(accepted, tombstone);
    const { taken, skipped } = splitForgotten(byPerson, items, forgotten);
    const { run } = pin;
    const { routeId } = route;
    const origin = { scope, key, run, routeId, evidenceDays, conversation: false, speakers: null };
    const said = taken.map(({ row }) => row);
    const { names, rows, ids } = writeTurns(origin, said);
    await tx.send([...statements, ...names]);
    const [[made]] = await tx.send([insertEvidence(scope, rows)]);
    // A source that comes twice in one batch is imported with its first row.
    const left = new Set(made?.turnIds);
    const isImported = ids.map((id) => left.delete(id));
    const imported = ids.filter((_, place) => isImported[place]);
    const ttl = evidenceClock(evidenceDays, hoursAfter(permit.scope.now, evidenceDays * 24));
    await tx.commit([audit({ pin, writes: [{ kind: "turn", ids: imported }], ttl })]);
    const replies = taken.map(({ index }, place): ImportRowReply => {
      return { index, status: isImported[place] ? "imported" : "duplicate" };
    });
    return [...skipped, ...replies];
  });
}
