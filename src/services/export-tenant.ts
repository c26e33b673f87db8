import { SUBJECT_KINDS, TENANT_KINDS } from "../domain/archive.js";
import { MunimentError } from "../domain/errors.js";
import { ArchiveWriter } from "./archive/archive-writer.js";
import { readPage, START } from "./archive/read-page.js";
import { readPeople, readTenantLines } from "./archive/read-tenant.js";
import type { Caller } from "./caller.js";
import { writeSubject } from "./export-subject.js";
import type { Services } from "./services.js";

/**
 * A whole tenant as the lines of one archive: what is its own, and each of its people after the other. One who is erased
 * meanwhile isn't in it, or ends where the erasure found it.
 */
export async function* exportTenant(
  services: Services,
  caller: Caller,
): AsyncGenerator<string, void, undefined> {
  const { principal } = caller;
  const own = readTenantLines(services, caller);
  const first = await own.next();
  const writer = new ArchiveWriter();
  yield writer.manifest({
    of: "tenant",
    tenant: principal.claims.tenant,
    kinds: [...TENANT_KINDS, "subject", ...SUBJECT_KINDS],
    at: services.clock.now(),
    ledger: await services.keyring.ledger.head(principal.tenant),
  });
  if (!first.done) yield writer.line(first.value);
  for await (const line of own) yield writer.line(line);
  for await (const person of readPeople(services, caller)) {
    if (person === null) writer.unreadable("subject", 1);
    else yield* writePerson(services, caller, writer, person);
  }
  yield writer.trailer();
}

async function* writePerson(
  services: Services,
  caller: Caller,
  writer: ArchiveWriter,
  person: string,
): AsyncGenerator<string, void, undefined> {
  try {
    const page = await readPage(services, caller, person, START);
    yield* writeSubject(services, caller, writer, person, page);
  } catch (error) {
    if (!(error instanceof MunimentError) || error.kind !== "not_found") throw error;
  }
}
