import { describe, expect, it } from "vitest";
import { refuseScopeHeaders } from "./scope-headers.js";

describe("scope headers", () => {
  it.each([
    "x-tenant",
    "x-tenant-id",
    "tenant-id",
    "tenant",
    "x-user",
    "x-user-id",
    "x-userid",
    "x-subject",
    "x-subject-ids",
    "x-workspace",
    "x-session",
    "x-session-id",
    "x-run",
    "x-run_id",
    "x-customer-id",
    "x-org-id",
    "x-organisation-id",
    "x-owner",
    "x-app-id",
    "x-isolation",
    "x-memory-profile",
    "x-muniment-tenant",
    "muniment-subject-id",
    "x-forwarded-user",
    "x-auth-tenant",
    "x-auth-request-user",
    "x-goog-user-id",
    "x-goog-authenticated-user-id",
    "x-ms-client-principal-id",
    "remote-user",
  ])("S1-04 refuses %s by its name", (name) => {
    expect(() => refuseScopeHeaders({ [name]: "v" })).toThrow(
      expect.objectContaining({ kind: "scope_in_input", field: name }),
    );
  });

  it.each([
    "user-agent",
    "x-request-id",
    "x-forwarded-for",
    "x-forwarded-user-agent",
    "authorization",
    "idempotency-key",
    "traceparent",
    "x-runtime",
    "x-forwarded-client-cert",
    "x-forwarded-host",
    "x-original-url",
    "x-amzn-trace-id",
    "x-client-version",
    "sec-fetch-user",
  ])("lets %s pass", (name) => {
    expect(() => refuseScopeHeaders({ [name]: "v" })).not.toThrow();
  });
});
