import type { ArchiveLine } from "../../domain/archive.js";
import { NIL_ID } from "../../domain/ids.js";
import { LIMITS } from "../../domain/limits.js";
import type { Permit } from "../../domain/permit.js";
import { listSubjects } from "../../storage/queries/subject-list.js";
import {
  type DefinitionRow,
  listFieldVersions,
  listRouteVersions,
} from "../../storage/queries/tenant-export.js";
import { listTombstones } from "../../storage/queries/tombstone-archive.js";
import type { Statement } from "../../storage/sql.js";
import type { Caller } from "../caller.js";
import { govern } from "../govern.js";
import { orAlarm } from "../integrity.js";
import type { Services } from "../services.js";
import { externalPlace } from "../subjects.js";
import { markOf, toTombstoneLine } from "./tombstone-lines.js";

/** Pages of one statement of the tenant's, each allowed and audited by itself. */
async function* pages<Row, At>(
  services: Services,
  caller: Caller,
  kind: string,
  start: At,
  read: (permit: Permit<"export_tenant">, after: At, limit: number) => Statement<Row>,
  placeOf: (row: Row) => At,
): AsyncGenerator<readonly Row[], void, undefined> {
  const limit = LIMITS.archiveLinesMax;
  for (let after = start; ; ) {
    const rows = await govern(services, caller, "export_tenant", async (op) => {
      const permit = op.permit({ type: "tenant" }, {});
      return await services.store.transact(permit, async (tx) => {
        const [found] = await tx.send([read(permit, after, limit)]);
        const reads = [{ kind, ids: [], count: found.length }];
        await tx.commit([op.audit(permit, { reads })]);
        return found;
      });
    });
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = placeOf(last);
  }
}

const FIRST = { id: "", version: 0 };
const placeOf = ({ id, version }: DefinitionRow<unknown>) => ({ id, version });

/** What is the tenant's own: routes and fields in all their versions, and its tombstones. */
export async function* readTenantLines(
  services: Services,
  caller: Caller,
): AsyncGenerator<ArchiveLine, void, undefined> {
  for await (const rows of pages(services, caller, "route", FIRST, listRouteVersions, placeOf))
    for (const { id, ...row } of rows) yield { kind: "route", route_id: id, ...row };
  for await (const rows of pages(services, caller, "field", FIRST, listFieldVersions, placeOf))
    for (const { id, ...row } of rows) yield { kind: "field", field_id: id, ...row };
  const mark = markOf(await services.keyring.ledger.key(caller.principal.tenant));
  const none = { kind: "", itemMac: new Uint8Array() };
  const tombstones = pages(services, caller, "tombstone", none, listTombstones, (row) => row);
  for await (const rows of tombstones) for (const row of rows) yield toTombstoneLine(row, mark);
}

/** External ids of the tenant's people. A mapping that doesn't open where it stands is reported and left out. */
export async function* readPeople(
  services: Services,
  caller: Caller,
): AsyncGenerator<string | null, void, undefined> {
  const { tenant } = caller.principal;
  const people = pages(services, caller, "subject", NIL_ID, listSubjects, (row) => row.subjectId);
  for await (const rows of people) {
    for (const { subjectId, keyId, lookup, sealed } of rows) {
      const key = await services.keyring.subjectKey(tenant, subjectId, keyId);
      // Erased since the page was read.
      if (key === null) continue;
      const place = externalPlace("subject", lookup, subjectId);
      yield orAlarm(services.onAlarm, () => key.open(place, sealed));
    }
  }
}
