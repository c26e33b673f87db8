import { SUBJECT_KINDS } from "../domain/archive.js";
import { ArchiveWriter } from "./archive/archive-writer.js";
import { readPage, START } from "./archive/read-page.js";
import type { Caller } from "./caller.js";
import type { Services } from "./services.js";

/**
 * All that is kept of a person and may still be read, as lines of an archive without their line feeds. It is read a page at
 * a time, each of them allowed and audited by itself: a person who is erased meanwhile ends it, and without its trailer the
 * archive isn't whole.
 */
export async function* exportSubject(
  services: Services,
  caller: Caller,
  subjectId: string,
): AsyncGenerator<string, void, undefined> {
  const { principal } = caller;
  const first = await readPage(services, caller, subjectId, START);
  const writer = new ArchiveWriter();
  yield writer.manifest({
    of: "subject",
    tenant: principal.claims.tenant,
    kinds: ["subject", ...SUBJECT_KINDS],
    at: services.clock.now(),
    ledger: await services.keyring.ledger.head(principal.tenant),
  });
  yield* writeSubject(services, caller, writer, subjectId, first);
  yield writer.trailer();
}

/** The lines of one person, from the first page of them on. */
export async function* writeSubject(
  services: Services,
  caller: Caller,
  writer: ArchiveWriter,
  subjectId: string,
  first: Awaited<ReturnType<typeof readPage>>,
): AsyncGenerator<string, void, undefined> {
  yield writer.line({ ...first.subject });
  for (let page = first; ; page = await readPage(services, caller, subjectId, page.next)) {
    for (const line of page.lines) yield writer.line(line);
    for (const { kind, rows } of page.unreadable) writer.unreadable(kind, rows);
    if (page.next === null) return;
  }
}
