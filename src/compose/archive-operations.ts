import type { ImportSubjectBody, ImportTenantBody } from "../services/archive/bodies.js";
import type { ImportSubjectReply } from "../services/import-subject.js";
import type { ImportTenantReply } from "../services/import-tenant.js";

/** Taking memory out as a whole, and bringing it in. */
export interface ArchiveOperations {
  /** All that is kept of a person and may still be read: lines of an archive, read a page at a time. */
  exportSubject(subject: string): AsyncIterable<string>;
  /** Takes in some lines of a person's archive. Those that are here already add nothing. */
  importSubject(subject: string, body: ImportSubjectBody): Promise<ImportSubjectReply>;
  /** The whole tenant: what is its own, and each of its people. */
  exportTenant(): AsyncIterable<string>;
  /** Takes in lines of what is a tenant's own: routes, fields, tombstones. Its people come by `importSubject`. */
  importTenant(body: ImportTenantBody): Promise<ImportTenantReply>;
}
