import type { CandidateId } from "../domain/ids.js";
import type { LedgerEntry } from "../domain/ledger.js";
import type { Permit } from "../domain/permit.js";
import { listCandidateIds, listProposedFields } from "../storage/queries/reach-find-derived.js";
import { subjectScope } from "../storage/scope.js";
import type { Transaction } from "../storage/store.js";
import { itemMacs } from "./item-macs.js";
import { macUuid } from "./mac-uuid.js";
import { findNarrowTarget, type NarrowTarget } from "./narrow-targets.js";
import { proposalId } from "./promoting.js";
import type { Services } from "./services.js";
import type { KnownSubject } from "./subjects.js";

/** What is to be forgotten, with the proposals that a source made under its own id. */
export interface ForgettableTarget extends NarrowTarget {
  readonly proposals: readonly CandidateId[];
}

/** Finds what a caller names. A source may have said nothing, and proposed values alone. */
export async function findForgettable(
  services: Services,
  tx: Transaction,
  permit: Permit,
  known: KnownSubject,
  wanted: { readonly scope: NarrowTarget["scope"]; readonly named: string },
): Promise<ForgettableTarget | null> {
  const { scope, named } = wanted;
  const found = await findNarrowTarget(services, tx, permit, known, wanted);
  const name = found?.externalId ?? named;
  // Named by our own id it may be another workspace's, where the same name is another source.
  const own =
    name === named
      ? found
      : await findNarrowTarget(services, tx, permit, known, { scope, named: name });
  const isElsewhere = own?.target !== found?.target;
  if (scope !== "source" || isElsewhere) return found === null ? null : { ...found, proposals: [] };
  const proposals = await proposalsOf(tx, permit, known, name);
  if (proposals.length === 0) return found === null ? null : { ...found, proposals };
  const target = found?.target ?? (await sourceTarget(services, permit, name));
  return { scope, target, isThere: true, field: null, externalId: name, proposals };
}

/** A proposal's id follows from its source's, its field and its kind of source. */
async function proposalsOf(
  tx: Transaction,
  permit: Permit,
  { key }: KnownSubject,
  sourceId: string,
): Promise<readonly CandidateId[]> {
  const { workspace } = permit.scope;
  const [proposed] = await tx.send([listProposedFields(permit, workspace)]);
  const ids = proposed.map(({ fieldId, origin }) =>
    proposalId(key, { workspaceId: workspace, fieldId }, { origin, sourceId }),
  );
  const [standing] = await tx.send([listCandidateIds(permit, ids)]);
  return standing.map(({ candidateId }) => candidateId);
}

/** A source that nothing was said by has no id of ours: its name stands in the form of one. */
async function sourceTarget(
  { keyring: { ledger } }: Services,
  permit: Permit,
  sourceId: string,
): Promise<string> {
  const { tenant, subject, workspace } = subjectScope(permit);
  const macs = itemMacs(await ledger.key(tenant), { subject, workspace }, { sources: [sourceId] });
  return macUuid(Buffer.from(macs.join(""), "base64"));
}

/** Proposals that a line of the ledger knows, where a restored database has them again. */
export async function proposalsIn(
  { keyring: { ledger } }: Services,
  tx: Transaction,
  permit: Permit,
  { scope, itemMacs: known }: LedgerEntry,
): Promise<readonly CandidateId[]> {
  if (scope !== "source") return [];
  const { tenant, subject, workspace } = subjectScope(permit);
  const key = await ledger.key(tenant);
  const forgotten = new Set(known);
  const [standing] = await tx.send([listCandidateIds(permit, null)]);
  const ids = standing.map(({ candidateId }) => candidateId);
  return ids.filter((id) =>
    itemMacs(key, { subject, workspace }, { proposals: [id] }).some((mac) => forgotten.has(mac)),
  );
}
