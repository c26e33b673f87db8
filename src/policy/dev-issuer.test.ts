import { describe, expect, it } from "vitest";
import { id } from "../../tests/support/policy-question.js";
import { clockAt, REFUSED, SECONDS } from "../../tests/support/tokens.js";
import { createVerifier } from "./credentials.js";
import { createRunIssuer, devIssuer, issueDevToken } from "./dev-issuer.js";
import { generateIssuerKey } from "./issuer-key.js";

describe("tokens of our own", () => {
  const claims = {
    id: "dev",
    kind: "service",
    roles: ["app", "operator"],
    tenant: "bank-au",
    workspace: "default",
  } as const;

  it("S5-02 a development token says what it was made with, for an hour at most", async () => {
    const key = await generateIssuerKey();
    const clock = clockAt(SECONDS);
    const verifier = createVerifier([devIssuer(key)], clock);
    const token = await issueDevToken(key, claims, clock);
    expect(await verifier.verify(token)).toEqual({ ...claims, issuer: "muniment:dev" });
    clock.set(SECONDS + 3_600);
    await expect(verifier.verify(token)).rejects.toThrow(REFUSED);
  });

  it.each([0, -1, 1.5, 3_601, Number.NaN, Number.POSITIVE_INFINITY])(
    "S5-02 a development token doesn't live %d seconds",
    async (seconds) => {
      const key = await generateIssuerKey();
      await expect(issueDevToken(key, claims, clockAt(SECONDS), seconds)).rejects.toThrow(
        expect.objectContaining({ field: "seconds" }),
      );
    },
  );

  it("S5-02 a development token can't be a job", async () => {
    const key = await generateIssuerKey();
    const job = { ...claims, kind: "job" } as unknown as Parameters<typeof issueDevToken>[1];
    const clock = clockAt(SECONDS);
    const token = await issueDevToken(key, job, clock);
    await expect(createVerifier([devIssuer(key)], clock).verify(token)).rejects.toThrow(REFUSED);
  });

  it("S1-36 a run's token is an agent's, in that run and without roles", async () => {
    const clock = clockAt(SECONDS);
    const runIssuer = createRunIssuer(await generateIssuerKey(), clock);
    const run = {
      id: "agent-1",
      tenant: "bank-au",
      workspace: "default",
      subject: "cust-1",
      session: "chat-1",
      run: id<"RunId">("f"),
    };
    const verifier = createVerifier([runIssuer.issuer], clock);
    expect(await verifier.verify(await runIssuer.issue(run))).toEqual({
      ...run,
      issuer: "muniment:run",
      kind: "agent",
      roles: [],
    });
    await expect(runIssuer.issue(run, 3_601)).rejects.toThrow(
      expect.objectContaining({ field: "seconds" }),
    );
  });

  it("S5-02 the run issuer's key makes no development token", async () => {
    const clock = clockAt(SECONDS);
    const [devKey, runKey] = [await generateIssuerKey(), await generateIssuerKey()];
    const verifier = createVerifier(
      [devIssuer(devKey), createRunIssuer(runKey, clock).issuer],
      clock,
    );
    await expect(verifier.verify(await issueDevToken(runKey, claims, clock))).rejects.toThrow(
      REFUSED,
    );
  });
});
