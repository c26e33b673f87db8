import { isKept } from "../domain/erased-stores.js";
import type { ErasureScopeKind } from "../domain/erasure.js";
import type { Permit } from "../domain/permit.js";
import { countOfId, listStores } from "../storage/queries/store-search.js";
import type { Transaction } from "../storage/store.js";
import type { Erasure } from "./erasures.js";
import { fieldOfTarget } from "./narrow-targets.js";
import { type Search, searchSubject } from "./receipts.js";
import type { Services } from "./services.js";

/** Columns in which what was forgotten would be named, alone or in a list. */
const NAMED_IN: Readonly<Record<ErasureScopeKind, readonly string[]>> = {
  subject: ["subject_id"],
  session: ["session_id", "session_key", "internal_id"],
  run: ["run_id"],
  source: ["source_id", "internal_id"],
  turn: ["turn_id", "turn_ids", "evidence"],
  episode: ["episode_id"],
  field: ["field_id"],
};

/** Say where a value came from, and rest on something else too. */
const PROVENANCE: Readonly<Partial<Record<ErasureScopeKind, readonly string[]>>> = {
  run: ["candidate", "field_value"],
};

/** Looks for what an erasure was about, whatever its scope. */
export function searchErased(
  services: Services,
  tx: Transaction,
  permit: Permit,
  erasure: Erasure,
): Promise<Search> {
  return erasure.scope === "subject"
    ? searchSubject(services, tx, permit, erasure)
    : searchScope(services, tx, permit, erasure);
}

/**
 * Looks for what was forgotten of a subject that lives on, in every table that the catalogue knows and in the files beside
 * them. What was corrected stays as a row with another text: nothing is looked for. What came anew since is no trace of it.
 */
async function searchScope(
  services: Services,
  tx: Transaction,
  permit: Permit,
  { scope, target, reason, requestedAt }: Erasure,
): Promise<Search> {
  const named = scope === "field" ? await fieldOfTarget(services, tx, permit, target) : target;
  if (reason === "correct" || named === null) return { stores: [], kept: [] };
  const columns = NAMED_IN[scope];
  const [known] = await tx.send([listStores()]);
  const tables = known.filter(
    (store) =>
      store.columns.includes("subject_id") && columns.some((name) => store.columns.includes(name)),
  );
  const counts = await tx.send(
    tables.map(({ table }) => countOfId(permit, table, columns, named, requestedAt)),
  );
  const rows = tables.map(({ table }, place) => ({
    name: table,
    found: counts[place]?.[0]?.found ?? 0,
  }));
  const kept = [...(PROVENANCE[scope] ?? [])];
  const stays = ({ name }: { readonly name: string }) => isKept(name) || kept.includes(name);
  return {
    stores: [
      ...rows.filter((row) => !stays(row)),
      ...(await services.files.search([named], "beside")),
    ],
    kept: rows.filter(stays).map(({ name, found }) => ({ name, rows: found })),
  };
}
