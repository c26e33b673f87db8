import { countOfText, listStores } from "../storage/queries/store-search.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import { findTextInput } from "./inputs/erasure.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";
import type { StoreFound } from "./stored-files.js";

export interface FindTextReply {
  /** Rows, jobs and files in which the text stands as it is, by place. */
  readonly stores: readonly StoreFound[];
  /** True where files of the data directory weren't searched, as they may be another tenant's. */
  readonly files_left_out: boolean;
  readonly decision: DecisionReply;
}

/** Others hold no rows of a tenant: the migrator's record and the custody's id. */
const hasTenant = (columns: readonly string[]) => columns.includes("tenant_id");

/**
 * Looks for a text as it is in everything that is stored: the tenant's rows, the queue's jobs, the files of the data
 * directory where this is its only tenant. Nothing is opened: what is sealed isn't found, and that is what this shows. The text is kept nowhere.
 */
export function findText(
  services: Services,
  caller: Caller,
  body: unknown,
): Promise<FindTextReply> {
  return govern(services, caller, "find_text", async (op) => {
    const { text } = parseInput(findTextInput, body);
    const permit = op.permit({ type: "tenant" }, {});
    const tables = await services.store.transact(permit, async (tx) => {
      const [known] = await tx.send([listStores()]);
      const names = known.filter(({ columns }) => hasTenant(columns)).map(({ table }) => table);
      const counts = await tx.send(names.map((table) => countOfText(permit, table, text)));
      await tx.commit([
        op.audit(permit, { reads: [{ kind: "stores", ids: [], count: names.length }] }),
      ]);
      return names.map((name, place) => ({ name, found: counts[place]?.[0]?.found ?? 0 }));
    });
    const files = await searchFiles(services, text);
    const stores = [
      ...tables,
      ...(await searchQueue(services, permit.scope.tenant, text)),
      ...(files ?? []),
    ];
    return { stores, files_left_out: files === null, decision: op.decision() };
  });
}

/**
 * Files aren't one tenant's: null where there are others, as they aren't searched then. Who asks again and again, a letter longer each time,
 * reads what stands there.
 */
async function searchFiles(
  { directory, files }: Services,
  text: string,
): Promise<readonly StoreFound[] | null> {
  const tenants = await directory.tenants("", 2);
  return tenants.length > 1 ? null : await files.search([text], "everywhere");
}

/** The queue's own tables, which the application can't read: the worker's role can. */
async function searchQueue(
  services: Services,
  tenant: string,
  text: string,
): Promise<readonly StoreFound[]> {
  const found: StoreFound[] = [];
  for (const table of ["job", "archive"]) {
    const { rows } = await services.store.queue(
      `select count(*)::int as found from pgboss.${table} j where j.data->>'tenant_id' = $2 and position($1 in j::text) > 0`,
      [text, tenant],
    );
    found.push({ name: `queue.${table}`, found: Number(rows[0]?.found ?? 0) });
  }
  return found;
}
