import { must } from "../../domain/errors.js";
import { trustedId } from "../../domain/ids.js";
import { LIMITS } from "../../domain/limits.js";
import type { Permit } from "../../domain/permit.js";
import type { ArchivedRow } from "../../storage/archive/archived-table.js";
import type { HoldRow } from "../../storage/queries/hold.js";
import { followLedger } from "../../storage/queries/ledger-head.js";
import { subjectScope } from "../../storage/scope.js";
import type { Statement } from "../../storage/sql.js";
import type { Transaction } from "../../storage/store.js";
import { holdLine } from "../holds.js";
import { refuseBegun } from "../open-intents.js";
import type { Services } from "../services.js";

/**
 * Holds that came in and stand get their lines in the ledger, as those that are placed here, so that a restored database has
 * them too. Behind all that could refuse. One that was released there binds nobody, and has none.
 */
export async function ledgerHolds(
  services: Services,
  tx: Transaction,
  permit: Permit,
  rows: readonly ArchivedRow[],
): Promise<readonly Statement[]> {
  const holds = rows.filter((row) => row.released_at === null);
  if (holds.length === 0) return [];
  await refuseBegun(services, tx, permit);
  const lines = holds.map((row) => {
    const hold = holdOf(permit, row);
    return holdLine(hold, "hold", hold.placedAt);
  });
  const statements: Statement[] = [];
  for (let from = 0; from < lines.length; from += LIMITS.ledgerLinesMax) {
    const batch = lines.slice(from, from + LIMITS.ledgerLinesMax);
    const entries = await services.keyring.ledger.append(permit.scope.tenant, batch);
    statements.push(...entries.map((entry) => followLedger(permit, entry)));
  }
  return statements;
}

function holdOf(permit: Permit, row: ArchivedRow): Parameters<typeof holdLine>[0] {
  const { hold_id, subject_mac, basis, scope, target, placed_at } = row;
  return {
    holdId: trustedId<"HoldId">(must(hold_id, "id of a hold") as string),
    subjectId: subjectScope(permit).subject,
    subjectMac: subject_mac as HoldRow["subjectMac"],
    basis: basis as HoldRow["basis"],
    scope: scope as HoldRow["scope"],
    target: target as HoldRow["target"],
    placedAt: new Date(placed_at as string),
  };
}
