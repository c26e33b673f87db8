import type { Claims } from "../domain/principal.js";
import { eraseScope } from "../services/erase-scope.js";
import { eraseSubject } from "../services/erase-subject.js";
import { exportSubject } from "../services/export-subject.js";
import { exportTenant } from "../services/export-tenant.js";
import { findText } from "../services/find-text.js";
import { importSubject } from "../services/import-subject.js";
import { importTenant } from "../services/import-tenant.js";
import { listHolds } from "../services/list-holds.js";
import { placeHold } from "../services/place-hold.js";
import { readErasure } from "../services/read-erasure.js";
import { releaseHold } from "../services/release-hold.js";
import { rotateKey } from "../services/rotate-key.js";
import type { Services } from "../services/services.js";
import { verifyErasure } from "../services/verify-erasure.js";
import { bindingOf } from "./binding.js";
import type { CallOptions } from "./operations.js";

/** What those who answer for privacy do: forgetting, and memory that leaves or comes as a whole. */
export function boundPrivacyOperations(services: Services, claims: Claims, options: CallOptions) {
  const { bind, bindLines } = bindingOf(services, claims, options);
  return {
    eraseSubject: bind(eraseSubject),
    eraseScope: bind(eraseScope),
    placeHold: bind(placeHold),
    releaseHold: bind(releaseHold),
    listHolds: bind(listHolds),
    rotateKey: bind(rotateKey),
    readErasure: bind(readErasure),
    verifyErasure: bind(verifyErasure),
    findText: bind(findText),
    exportSubject: bindLines(exportSubject),
    importSubject: bind(importSubject),
    exportTenant: bindLines(exportTenant),
    importTenant: bind(importTenant),
  };
}
