import { exportSubject } from "../services/export-subject.js";
import { exportTenant } from "../services/export-tenant.js";
import { importSubject } from "../services/import-subject.js";
import { importTenant } from "../services/import-tenant.js";
import { importSubjectInput, importTenantInput } from "../services/inputs/archive.js";
import { type Door, door } from "./door.js";
import { lineStream } from "./line-stream.js";

/** Memory that leaves as a whole, and comes in. */
export const ARCHIVE_OPERATIONS: readonly Door[] = [
  door({
    action: "export_subject",
    method: "GET",
    path: "/v1/subjects/:subject/export",
    status: 200,
    summary: "All that is kept of a person, as lines of an archive",
    isStream: true,
    run: (services, caller, { params }) =>
      lineStream(exportSubject(services, caller, params.subject)),
  }),
  door({
    action: "import_subject",
    method: "POST",
    path: "/v1/subjects/:subject/archive",
    status: 200,
    summary: "Takes in lines of a person's archive, line by line",
    body: importSubjectInput,
    run: (services, caller, { params, body }) =>
      importSubject(services, caller, params.subject, body),
  }),
  door({
    action: "export_tenant",
    method: "GET",
    path: "/v1/export",
    status: 200,
    summary: "The whole tenant, as lines of an archive",
    isStream: true,
    run: (services, caller) => lineStream(exportTenant(services, caller)),
  }),
  door({
    action: "import_tenant",
    method: "POST",
    path: "/v1/archive",
    status: 200,
    summary: "Takes in lines of what is the tenant's own, line by line",
    body: importTenantInput,
    run: (services, caller, { body }) => importTenant(services, caller, body),
  }),
];
